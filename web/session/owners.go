package session

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"
)

// Owners holds the sessions of players' owners, by the hash of their secrets. It is safe for concurrent use; the zero
// value has none.
type Owners struct {
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

// Open starts a session and returns its secret. It removes expired sessions, and at the limit arbitrary ones.
func (o *Owners) Open(league, token string) string {
	secret := rand.Text()
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, one := range o.all {
		if len(o.all) >= ownersMost || time.Now().After(one.ends) {
			delete(o.all, key)
		}
	}
	if o.all == nil {
		o.all = map[[32]byte]ownership{}
	}
	o.all[sha256.Sum256([]byte(secret))] = ownership{league, token, time.Now().Add(Life)}
	return secret
}

// Token returns the token of a session in a league; "" if there is none or it is over.
func (o *Owners) Token(league, secret string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	one := o.all[sha256.Sum256([]byte(secret))]
	if one.league != league || !time.Now().Before(one.ends) {
		return ""
	}
	return one.token
}

// Close ends the session of a secret, if there is one.
func (o *Owners) Close(secret string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, sha256.Sum256([]byte(secret)))
}
