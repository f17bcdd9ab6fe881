package web

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
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
