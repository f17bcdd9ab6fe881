package web

import (
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// The admin presents the league's admin token once, in a form, and is then authenticated by a session: a separate
// secret in a cookie that scripts cannot read and other sites cannot send. Programs present the token itself:
// Authorization: Bearer.

// LoginView is the form that asks for the admin token.
type LoginView struct {
	Next  string
	Wrong bool
	Wait  int // seconds until the next attempt; 0: now
}

// Title returns the page title.
func (LoginView) Title() string { return "Admin" }

func (s *site) serveLogin(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, page{template: "login"}, LoginView{Next: within(r.FormValue("next"))})
}

// login opens a session for a client with the admin token and redirects it to the page it came from. A wrong token is
// answered with the form and status 401, which clients other than browsers understand. An address with too many
// failures gets status 429 with the time of the next attempt, even for the correct token.
func (s *site) login(w http.ResponseWriter, r *http.Request) {
	next, from := within(r.FormValue("next")), s.Address(r)
	if wait := s.logins.wait(from); wait > 0 {
		seconds := int(math.Ceil(wait.Seconds()))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		s.render(w, r, http.StatusTooManyRequests, page{template: "login"}, LoginView{Next: next, Wait: seconds})
		return
	}
	if s.Options.Admin == nil || s.Options.Admin(strings.TrimSpace(r.FormValue("token"))) != nil {
		if n := s.logins.failed(from); n%loginBurst == 0 {
			s.Logger.Warn("logins with a wrong admin token", slog.String("address", from), slog.Int("failures", n))
		}
		s.render(w, r, http.StatusUnauthorized, page{template: "login"}, LoginView{Next: next, Wrong: true})
		return
	}
	s.logins.succeeded(from)
	s.setCookie(w, r, s.sessions.open(), int(sessionLife.Seconds()))
	s.front.redirect(w, r, next, http.StatusSeeOther)
}

// logout ends the session on the server as well as in the browser: a copy of the cookie is worth nothing afterwards.
func (s *site) logout(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(cookieName(r)); err == nil {
		s.sessions.close(c.Value)
	}
	s.setCookie(w, r, "", -1)
	s.front.redirect(w, r, within(r.FormValue("next")), http.StatusSeeOther)
}

// setCookie stores a session in the browser for age seconds; a negative age removes it. No script can read it, other
// sites cannot send it, and over TLS it is never sent unencrypted.
func (s *site) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.front.encrypted(r),
		SameSite: http.SameSiteStrictMode,
	})
}

// within returns next if it is a path of this site, and otherwise "/".
func within(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") ||
		strings.Contains(next, `\`) {
		return "/"
	}
	return u.RequestURI()
}
