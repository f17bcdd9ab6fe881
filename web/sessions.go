package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A session ends after sessionLife, used or not. Above sessionMost the session with the earliest end is evicted.
const (
	sessionLife = 12 * time.Hour
	sessionMost = 64
)

// sessions holds the sessions of logged-in admins, by the hash of their secrets. With a key that several sites share
// a secret also contains its end time, signed with the key, and all these sites accept it.
type sessions struct {
	key []byte // nil: not shared with other sites

	mu     sync.Mutex
	all    map[[32]byte]time.Time // their end times
	closed map[[32]byte]time.Time // sessions closed here, of other sites too, until their end
}

func newSessions(key []byte) *sessions {
	return &sessions{key: key, all: map[[32]byte]time.Time{}, closed: map[[32]byte]time.Time{}}
}

// open begins a session and returns its secret.
func (s *sessions) open() string {
	secret := rand.Text()
	if s.key != nil {
		secret = s.signed(fmt.Sprintf("%d.%s", time.Now().Add(sessionLife).Unix(), secret))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoom()
	s.all[sha256.Sum256([]byte(secret))] = time.Now().Add(sessionLife)
	return secret
}

// makeRoom evicts the expired sessions, and the oldest if there are too many.
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

// has reports whether a secret belongs to an open session: a session of this process, or one signed by another
// process and not closed here.
func (s *sessions) has(secret string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sha256.Sum256([]byte(secret))
	if _, closed := s.closed[key]; closed {
		return false
	}
	return time.Now().Before(s.all[key]) || time.Now().Before(s.ends(secret))
}

// signed returns a secret's content with a signature.
func (s *sessions) signed(what string) string {
	mac := hmac.New(sha256.New, s.key)
	_, _ = mac.Write([]byte("admin session " + what)) // it never fails
	return what + "." + hex.EncodeToString(mac.Sum(nil))
}

// ends returns the end time in a secret that a site with the same key has signed; zero for any other.
func (s *sessions) ends(secret string) time.Time {
	what := secret[:max(strings.LastIndexByte(secret, '.'), 0)]
	until, _, _ := strings.Cut(what, ".")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if s.key == nil || err != nil || !hmac.Equal([]byte(secret), []byte(s.signed(what))) {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// close ends a session. A signed session is remembered as closed until its end time.
func (s *sessions) close(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sha256.Sum256([]byte(secret))
	delete(s.all, key)
	maps.DeleteFunc(s.closed, func(_ [32]byte, end time.Time) bool { return time.Now().After(end) })
	if end := s.ends(secret); !end.IsZero() {
		s.closed[key] = end
	}
}

// cookieName returns the name of the session cookie, with the port: browsers send a cookie to every port of a host.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "0"
	}
	return "league_admin_" + port
}
