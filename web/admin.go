package web

import (
	"net/http"
	"net/url"
	"strings"
)

// The admin shows the league's admin token once, in a form, and is then known by a session: a secret of its own in a
// cookie that scripts cannot read and other sites cannot send. Programs show the token itself: Authorization: Bearer.

// LoginView is the form that asks for the admin token.
type LoginView struct {
	Next  string
	Wrong bool
}

// Title is that of the page.
func (LoginView) Title() string { return "Admin" }

func (s *site) serveLogin(w http.ResponseWriter, r *http.Request) {
	s.render(w, r, http.StatusOK, page{template: "login"}, LoginView{Next: within(r.FormValue("next"))})
}

// login opens a session for whoever shows the admin token and sends the browser back to where it came from. A wrong
// token is answered with the form again and status 401, so that clients without a browser see it too.
func (s *site) login(w http.ResponseWriter, r *http.Request) {
	next := within(r.FormValue("next"))
	if s.Options.Admin == nil || s.Options.Admin(strings.TrimSpace(r.FormValue("token"))) != nil {
		s.render(w, r, http.StatusUnauthorized, page{template: "login"}, LoginView{Next: next, Wrong: true})
		return
	}
	s.setCookie(w, r, s.sessions.open(), int(sessionLife.Seconds()))
	s.front.redirect(w, r, next, http.StatusSeeOther)
}

// logout ends the session on this side as well as in the browser: a copy of the cookie is worth nothing afterwards.
func (s *site) logout(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(cookieName(r)); err == nil {
		s.sessions.close(c.Value)
	}
	s.setCookie(w, r, "", -1)
	s.front.redirect(w, r, within(r.FormValue("next")), http.StatusSeeOther)
}

// setCookie keeps a session in the browser for age seconds; a negative age removes it. No script can read it, other
// sites cannot have it sent, and over TLS it never travels unencrypted.
func (s *site) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.front.encrypted(r),
		SameSite: http.SameSiteStrictMode,
	})
}

// within is a path of this site, whatever was asked for.
func within(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") ||
		strings.Contains(next, `\`) {
		return "/"
	}
	return u.RequestURI()
}
