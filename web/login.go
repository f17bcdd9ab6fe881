package web

import (
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"agentleague/web/session"
)

// loginView is the form that asks for the admin token.
type loginView struct {
	Next  string
	Wrong bool
	Wait  int // seconds until the next attempt; 0: now
}

// Title returns the page title.
func (loginView) Title() string { return "Admin" }

// A loginForm logs the admin in and out.
type loginForm struct {
	*access
	*renderer
	logins session.Throttle
}

// show writes the login form with the given status.
func (f *loginForm) show(w http.ResponseWriter, r *http.Request, status int, v loginView) {
	v.Next = within(r.FormValue("next"))
	f.render(w, r, status, page{template: "login"}, v)
}

func (f *loginForm) ask(w http.ResponseWriter, r *http.Request) {
	f.show(w, r, http.StatusOK, loginView{})
}

// login opens a session for a client with the admin token and redirects it to the page it came from. A wrong token is
// answered with the form and status 401, which clients other than browsers understand. An address with too many
// failures gets status 429 with the time of the next attempt, even for the correct token.
func (f *loginForm) login(w http.ResponseWriter, r *http.Request) {
	from := f.Address(r)
	if wait := f.logins.Wait(from); wait > 0 {
		seconds := int(math.Ceil(wait.Seconds()))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		f.show(w, r, http.StatusTooManyRequests, loginView{Wait: seconds})
		return
	}
	if f.admin == nil || f.admin(strings.TrimSpace(r.FormValue("token"))) != nil {
		if n := f.logins.Failed(from); n%session.Burst == 0 {
			f.Logger.Warn("logins with a wrong admin token", slog.String("address", from), slog.Int("failures", n))
		}
		f.show(w, r, http.StatusUnauthorized, loginView{Wrong: true})
		return
	}
	f.logins.Succeeded(from)
	f.setCookie(w, r, f.sessions.Open(), int(session.Life.Seconds()))
	f.front.redirect(w, r, within(r.FormValue("next")), http.StatusSeeOther)
}

// logout ends the session on the server as well as in the browser: a copy of the cookie is worth nothing afterwards.
func (f *loginForm) logout(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(cookieName(r)); err == nil {
		f.sessions.Close(c.Value)
	}
	f.setCookie(w, r, "", -1)
	f.front.redirect(w, r, within(r.FormValue("next")), http.StatusSeeOther)
}

// setCookie stores a session in the browser for age seconds; a negative age removes it. No script can read it, other
// sites cannot send it, and over TLS it is never sent unencrypted.
func (f *loginForm) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: f.front.encrypted(r),
		SameSite: http.SameSiteStrictMode,
	})
}

// within returns next, the target of a redirect, if it is a path of this site, and otherwise "/".
func within(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") ||
		strings.Contains(next, `\`) {
		return "/"
	}
	return u.RequestURI()
}
