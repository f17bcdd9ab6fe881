package web

import (
	"net/http"
	"strings"
)

// The admin presents the league's admin token once, in a form, and is then authenticated by a session: a separate
// secret in a cookie that scripts cannot read and other sites cannot send. Programs present the token itself:
// Authorization: Bearer.

// An access decides what a client may see and do: anyone, the admin, or the owner of a player.
type access struct {
	admin    func(token string) error // nil: the league has no admin
	sessions *sessions
	owners   *owners
}

// isAdmin reports whether a request is the admin's.
func (a *access) isAdmin(r *http.Request) bool {
	if a.admin == nil {
		return false
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return a.admin(token) == nil
	}
	c, err := r.Cookie(cookieName(r))
	return err == nil && a.sessions.has(c.Value)
}

// onlyAdmin returns an error if a request is not the admin's.
func (a *access) onlyAdmin(r *http.Request) error {
	switch {
	case a.isAdmin(r):
		return nil
	case a.admin == nil:
		return &problem{Status: http.StatusForbidden, What: "This manager has no admin, so nobody can do this here."}
	}
	return &problem{Status: http.StatusUnauthorized, What: "Only the admin of the league can do this.", Do: "Log in with the admin token, or send it as Authorization: Bearer.", login: true}
}

// allowed returns an error if an action is the admin's and the request is not. It warns the organiser of the league.
func (a *access) allowed(r *http.Request, m Season, what action) error {
	if what.open {
		return nil
	}
	err := a.onlyAdmin(r)
	if err != nil && a.admin != nil && m != nil {
		m.Suspect("POST "+what.path+" without the admin token was refused", addressIn(r))
	}
	return err
}

// insider returns a function that reports whether a request comes from the organizer or from the owner of a player.
func (a *access) insider(r *http.Request, m Season) func(player string) bool {
	admin := a.isAdmin(r)
	return func(player string) bool { return admin || a.owners.owns(r, m, player) }
}
