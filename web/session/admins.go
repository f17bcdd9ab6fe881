// Package session holds the sessions of the site's users in memory: of admins, and of the owners of players. It also
// limits failed logins. Sessions are found by the hash of their secret, which only the browser keeps.
package session

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Life is the time after which a session ends, used or not.
const Life = 12 * time.Hour

// adminsMost limits the sessions of admins; above it the session with the earliest end is evicted.
const adminsMost = 64

// Admins holds the sessions of logged-in admins, by the hash of their secrets. With a key that several sites share
// a secret also contains its end time, signed with the key, and all these sites accept it. It is safe for concurrent
// use.
type Admins struct {
	key []byte // nil: not shared with other sites

	mu     sync.Mutex
	all    map[[32]byte]time.Time // their end times
	closed map[[32]byte]time.Time // sessions closed here, of other sites too, until their end
}

// NewAdmins returns no sessions yet. Sites with the same key share sessions; nil: this one shares none.
func NewAdmins(key []byte) *Admins {
	return &Admins{key: key, all: map[[32]byte]time.Time{}, closed: map[[32]byte]time.Time{}}
}

// Open begins a session and returns its secret.
func (s *Admins) Open() string {
	secret := rand.Text()
	if s.key != nil {
		secret = s.signed(fmt.Sprintf("%d.%s", time.Now().Add(Life).Unix(), secret))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom()
	s.all[sha256.Sum256([]byte(secret))] = time.Now().Add(Life)
	return secret
}

// makeRoom evicts the expired sessions, and the oldest if there are too many.
func (s *Admins) makeRoom() {
	var oldest [32]byte
	var ends time.Time
	for key, end := range s.all {
		if time.Now().After(end) {
			delete(s.all, key)
		} else if ends.IsZero() || end.Before(ends) {
			oldest, ends = key, end
		}
	}
	if len(s.all) >= adminsMost {
		delete(s.all, oldest)
	}
}

// Has reports whether a secret belongs to an open session: a session of this process, or one signed by another
// process and not closed here.
func (s *Admins) Has(secret string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sha256.Sum256([]byte(secret))
	if _, closed := s.closed[key]; closed {
		return false
	}
	return time.Now().Before(s.all[key]) || time.Now().Before(s.ends(secret))
}

// signed returns a secret's content with a signature.
func (s *Admins) signed(what string) string {
	mac := hmac.New(sha256.New, s.key)
	_, _ = mac.Write([]byte("admin session " + what)) // it never fails
	return what + "." + hex.EncodeToString(mac.Sum(nil))
}

// ends returns the end time in a secret that a site with the same key has signed; zero for any other.
func (s *Admins) ends(secret string) time.Time {
	what := secret[:max(strings.LastIndexByte(secret, '.'), 0)]
	until, _, _ := strings.Cut(what, ".")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if s.key == nil || err != nil || !hmac.Equal([]byte(secret), []byte(s.signed(what))) {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// Close ends a session. A signed session is remembered as closed until its end time.
func (s *Admins) Close(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sha256.Sum256([]byte(secret))
	delete(s.all, key)
	maps.DeleteFunc(s.closed, func(_ [32]byte, end time.Time) bool { return time.Now().After(end) })
	if end := s.ends(secret); !end.IsZero() {
		s.closed[key] = end
	}
}
