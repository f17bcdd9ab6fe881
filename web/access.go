package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/http"
	"strings"
	"time"

	"agentleague/web/session"
)

// The admin presents the league's admin token once, in a form, and is then authenticated by a session: a separate
// secret in a cookie that scripts cannot read and other sites cannot send. Programs present the token itself:
// Authorization: Bearer.

// An access decides what a client may see and do: anyone, the admin, or the owner of a player.
type access struct {
	admin    func(token string) error // nil: the league has no admin
	sessions *session.Admins
	owners   *session.Owners
}

// isAdmin reports whether a request comes from the admin.
func (a *access) isAdmin(r *http.Request) bool {
	if a.admin == nil {
		return false
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return a.admin(token) == nil
	}
	c, err := r.Cookie(cookieName(r))
	return err == nil && a.sessions.Has(c.Value)
}

// onlyAdmin returns an error unless a request comes from the admin.
func (a *access) onlyAdmin(r *http.Request) error {
	switch {
	case a.isAdmin(r):
		return nil
	case a.admin == nil:
		return &problem{Status: http.StatusForbidden, What: "This manager has no admin, so nobody can do this here."}
	}
	return &problem{Status: http.StatusUnauthorized, What: "Only the admin of the league can do this.", Do: "Log in with the admin token, or send it as Authorization: Bearer.", login: true}
}

// allowed returns an error if an action requires the admin and the request is not the admin's. It then also records a
// warning in the league.
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

// insider returns a function that reports whether a request comes from the organizer or from the owner of a player. The
// function may be called within m.Read; insider itself reads the league and may not.
func (a *access) insider(r *http.Request, m Season) func(player string) bool {
	admin, owned := a.isAdmin(r), a.owned(r, m)
	return func(player string) bool { return admin || player != "" && player == owned }
}

// The owner of a player presents its token or join key once, in a form on the player's page, and is then
// authenticated by a session, as the admin is: a separate secret in a cookie. It has the rights of the token, and
// ends with it. Programs present the token itself: Authorization: Bearer.

// owned returns the player whose owner a request comes from, or "".
func (a *access) owned(r *http.Request, m Season) string {
	token, shown := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if c, err := r.Cookie(leagueCookieName(r, "owner", m.ID())); !shown && err == nil {
		token = a.owners.Token(m.ID(), c.Value)
	} else if !shown {
		return ""
	}
	if token == "" {
		return ""
	}
	return m.Owner(token)
}

// owns reports whether a request comes from the owner of a player.
func (a *access) owns(r *http.Request, m Season, player string) bool {
	return player != "" && a.owned(r, m) == player
}

// ownedPlayer is the answer to a login or logout as the owner of a player.
type ownedPlayer struct {
	PlayerID string `json:"player_id"`
	league   string
	secret   string // "": forget it
}

// cookie stores the session of a player's owner in the browser; without a secret it removes the cookie.
func (a ownedPlayer) cookie(r *http.Request) *http.Cookie {
	return leagueCookie(r, "owner", a.league, a.secret, session.Life)
}

// leagueCookie stores a secret of a league in the browser, which may have one of each kind and league. No script can
// read it, and other sites cannot send it. Without a secret it deletes the cookie.
func leagueCookie(r *http.Request, kind, league, secret string, age time.Duration) *http.Cookie {
	c := &http.Cookie{Name: leagueCookieName(r, kind, league), Value: secret, Path: "/", MaxAge: int(age.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode}
	if secret == "" {
		c.MaxAge = -1
	}
	return c
}

// leagueCookieName returns the name of the cookie of a kind for a league.
func leagueCookieName(r *http.Request, kind, league string) string {
	sum := sha256.Sum256([]byte(league))
	return strings.Replace(cookieName(r), "admin", kind, 1) + "_" + hex.EncodeToString(sum[:4])
}

// cookieName returns the name of the session cookie, with the port: browsers send a cookie to every port of a host.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "0"
	}
	return "league_admin_" + port
}
