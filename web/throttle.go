package web

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits of logins from one address: a burst, then one each loginEvery.
const (
	loginBurst     = 5
	loginEvery     = 10 * time.Second
	loginAddresses = 4096 // remembered; the least recently seen is evicted
)

// A loginThrottle limits failed logins by address. It is safe for concurrent use.
type loginThrottle struct {
	mu    sync.Mutex
	known map[string]*list.Element
	order list.List // of *loginAttempts, the most recent first
}

// loginAttempts are those of one address.
type loginAttempts struct {
	address  string
	limit    *rate.Limiter
	failures int // since the last success
}

// wait takes an attempt of an address, or returns how long the address has to wait for the next one.
func (t *loginThrottle) wait(address string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	r := t.of(address).limit.ReserveN(now, 1)
	delay := r.DelayFrom(now)
	if delay > 0 {
		r.CancelAt(now)
	}
	return delay
}

// failed counts a failure and returns the number of them since the last success.
func (t *loginThrottle) failed(address string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.of(address)
	a.failures++
	return a.failures
}

// succeeded forgets the attempts of an address.
func (t *loginThrottle) succeeded(address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if place := t.known[address]; place != nil {
		t.order.Remove(place)
		delete(t.known, address)
	}
}

// of returns the attempts of an address. The caller holds the lock.
func (t *loginThrottle) of(address string) *loginAttempts {
	if place := t.known[address]; place != nil {
		t.order.MoveToFront(place)
		return place.Value.(*loginAttempts)
	}
	if t.order.Len() >= loginAddresses {
		delete(t.known, t.order.Remove(t.order.Back()).(*loginAttempts).address)
	}
	if t.known == nil {
		t.known = map[string]*list.Element{}
	}
	a := &loginAttempts{address: address, limit: rate.NewLimiter(rate.Every(loginEvery), loginBurst)}
	t.known[address] = t.order.PushFront(a)
	return a
}
