package web

import (
	"crypto/rand"
	"crypto/sha256"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// The admin shows the league's admin token once, in a form, and is then known by a session: a secret of its own in a cookie
// that scripts cannot read and other sites cannot send. Programs show the token itself: Authorization: Bearer.

const (
	sessionLife = 12 * time.Hour
	sessionMost = 64
)

// sessions are the admins that have logged in, by the hash of their secrets.
type sessions struct {
	mu  sync.Mutex
	all map[[32]byte]time.Time // when they end
}

func newSessions() *sessions { return &sessions{all: map[[32]byte]time.Time{}} }

// open begins a session and returns its secret.
func (s *sessions) open() string {
	secret := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom()
	s.all[sha256.Sum256([]byte(secret))] = time.Now().Add(sessionLife)
	return secret
}

// makeRoom forgets the sessions that are over, and the oldest of too many.
func (s *sessions) makeRoom() {
	var oldest [32]byte
	var ends time.Time
	for key, end := range s.all {
		if time.Now().After(end) {
			delete(s.all, key)
		} else if ends.IsZero() || end.Before(ends) {
			oldest, ends = key, end
		}
	}
	if len(s.all) >= sessionMost {
		delete(s.all, oldest)
	}
}

func (s *sessions) has(secret string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.all[sha256.Sum256([]byte(secret))])
}

func (s *sessions) close(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, sha256.Sum256([]byte(secret)))
}

// cookieName has the port in it: browsers send a cookie to every port of a host.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "0"
	}
	return "league_admin_" + port
}

// isAdmin reports whether a request is the admin's.
func (s *site) isAdmin(r *http.Request) bool {
	if s.Options.Admin == nil {
		return false
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.Options.Admin(token) == nil
	}
	c, err := r.Cookie(cookieName(r))
	return err == nil && s.sessions.has(c.Value)
}

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

func (s *site) login(w http.ResponseWriter, r *http.Request) {
	next := within(r.FormValue("next"))
	if s.Options.Admin == nil || s.Options.Admin(strings.TrimSpace(r.FormValue("token"))) != nil {
		s.render(w, r, http.StatusUnauthorized, page{template: "login"}, LoginView{Next: next, Wrong: true})
		return
	}
	s.setCookie(w, r, s.sessions.open(), int(sessionLife.Seconds()))
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (s *site) logout(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(cookieName(r)); err == nil {
		s.sessions.close(c.Value)
	}
	s.setCookie(w, r, "", -1)
	http.Redirect(w, r, within(r.FormValue("next")), http.StatusSeeOther)
}

func (s *site) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	})
}

// within is a path of this site, whatever was asked for.
func within(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") || strings.Contains(next, `\`) {
		return "/"
	}
	return u.RequestURI()
}
