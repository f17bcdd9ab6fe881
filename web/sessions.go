package web

import (
	"crypto/rand"
	"crypto/sha256"
	"net"
	"net/http"
	"sync"
	"time"
)

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
