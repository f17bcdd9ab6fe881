package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The owner of a player presents its token or join key once, in a form on the player's page, and is then
// authenticated by a session, as the admin is: a separate secret in a cookie. It has the rights of the token, and
// ends with it. Programs present the token itself: Authorization: Bearer.

// owners holds the sessions of players' owners, by the hash of their secrets.
type owners struct {
	mu  sync.Mutex
	all map[[32]byte]ownership
}

// An ownership is the token that was presented in a league, with the end of the session.
type ownership struct {
	league, token string
	ends          time.Time
}

// ownersMost limits the number of sessions.
const ownersMost = 4096

func newOwners() *owners { return &owners{all: map[[32]byte]ownership{}} }

// open starts a session and returns its secret. It removes expired sessions, and at the limit arbitrary ones.
func (o *owners) open(league, token string) string {
	secret := rand.Text()
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, one := range o.all {
		if len(o.all) >= ownersMost || time.Now().After(one.ends) {
			delete(o.all, key)
		}
	}
	o.all[sha256.Sum256([]byte(secret))] = ownership{league, token, time.Now().Add(sessionLife)}
	return secret
}

// token returns the token of a session in a league; "" if there is none or it is over.
func (o *owners) token(league, secret string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	one := o.all[sha256.Sum256([]byte(secret))]
	if one.league != league || !time.Now().Before(one.ends) {
		return ""
	}
	return one.token
}

// close ends the session of a secret, if there is one.
func (o *owners) close(secret string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, sha256.Sum256([]byte(secret)))
}

// owns reports whether a request comes from the owner of a player.
func (o *owners) owns(r *http.Request, m Season, player string) bool {
	token, shown := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if c, err := r.Cookie(ownerCookie(r, m.ID())); !shown && err == nil {
		token = o.token(m.ID(), c.Value)
	} else if !shown {
		return false
	}
	return player != "" && token != "" && m.Owner(token) == player
}

// ownerCookie names the cookie of a league's player: a browser may have one in each.
func ownerCookie(r *http.Request, league string) string {
	sum := sha256.Sum256([]byte(league))
	return strings.Replace(cookieName(r), "admin", "owner", 1) + "_" + hex.EncodeToString(sum[:4])
}

// Owned is the answer to a login or logout as the owner of a player.
type Owned struct {
	PlayerID string `json:"player_id"`
	league   string
	secret   string // "": forget it
}

// cookie stores the session of a player's owner in the browser; without a secret it removes it.
func (a Owned) cookie(r *http.Request) *http.Cookie {
	c := &http.Cookie{
		Name: ownerCookie(r, a.league), Value: a.secret, Path: "/", MaxAge: int(sessionLife.Seconds()), HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	}
	if a.secret == "" {
		c.MaxAge = -1
	}
	return c
}

// An ownOrder presents the token of a player.
type ownOrder struct {
	Token string `json:"token"` // or its join key
}

// ownerOrders are the actions of a player's owner.
type ownerOrders struct{ *site }

// actions returns the actions of a player's owner. They are marked open, since each checks for the owner's session
// itself.
func (s ownerOrders) actions() []action {
	const at = "/leagues/{league}/players/{player}/"
	out := []action{
		{path: at + "own", open: true, body: ownOrder{}, do: s.own,
			summary: "Show the owner key or the join key of a player; the session is kept in a cookie"},
		{path: at + "disown", open: true, do: s.disown, summary: "End the session of a player's owner"},
		{path: at + "withdraw", open: true, do: s.withdraw, summary: "Withdraw a player, as its owner"},
	}
	if s.Options.Check != nil {
		out = append(out, action{path: at + "check", open: true, do: s.check,
			summary: "Check a player, as its owner; the answer names the check"})
	}
	return out
}

// own opens a session for a request with the token of a player.
func (s ownerOrders) own(r *http.Request) (string, any, error) {
	m, err := s.manager(r)
	if err != nil {
		return "", nil, err
	}
	id, league, token := r.PathValue("player"), r.PathValue("league"), strings.TrimSpace(r.FormValue("token"))
	if id == "" || m.Owner(token) != id {
		return "", nil, notOwner(r, m, id)
	}
	return "/leagues/" + league + "/players/" + id, Owned{id, league, s.owners.open(league, token)}, nil
}

// notOwner returns the error for a wrong token, and warns the organiser.
func notOwner(r *http.Request, m Season, id string) error {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	m.Suspect("a wrong token of "+said(id, 32)+" was refused on a page", host)
	return &problem{Status: http.StatusUnauthorized,
		What: "This is not the owner key or the join key of " + said(id, 32) + ".",
		Do: "Use the owner_key in the agent's identity file, whole, or the join key that you were given. " +
			"An agent that registered without a key needs a join key, or the organiser's help."}
}

// disown ends the session of an owner, here and in the browser. It is idempotent.
func (s ownerOrders) disown(r *http.Request) (string, any, error) {
	if _, err := s.manager(r); err != nil {
		return "", nil, err
	}
	league := r.PathValue("league")
	if c, err := r.Cookie(ownerCookie(r, league)); err == nil {
		s.owners.close(c.Value)
	}
	return "/leagues/" + league + "/players/" + r.PathValue("player"), Owned{r.PathValue("player"), league, ""}, nil
}

// mayAct returns the league of a request by the player's owner or the admin, and otherwise an error.
func (s ownerOrders) mayAct(r *http.Request) (Season, error) {
	m, err := s.manager(r)
	if err != nil {
		return nil, err
	}
	if id := r.PathValue("player"); !s.owners.owns(r, m, id) && !s.isAdmin(r) {
		return nil, notOwner(r, m, id)
	}
	return m, nil
}

// withdraw withdraws a player on behalf of its owner, or of the admin; the log records which.
func (s ownerOrders) withdraw(r *http.Request) (string, any, error) {
	m, err := s.mayAct(r)
	if err != nil {
		return "", nil, err
	}
	id := r.PathValue("player")
	who := by(r)
	if !s.isAdmin(r) {
		who = strings.Replace(who, "admin", "owner of "+id, 1)
	}
	if err := m.Withdraw(r.Context(), id, who); err != nil {
		return "", nil, err
	}
	d := s.cache(m)
	m.View().Expire()
	return "/leagues/" + m.ID() + "/players/" + id, d.look(&s.Options).LeagueHead, nil
}

// check checks a player at its registered endpoint, and nowhere else.
func (s ownerOrders) check(r *http.Request) (string, any, error) {
	if _, err := s.mayAct(r); err != nil {
		return "", nil, err
	}
	return s.checkOf(r, checkOrder{PlayerID: r.PathValue("player")})
}
