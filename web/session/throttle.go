package session

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Burst is how many logins an address may try at once.
const Burst = 5

const (
	loginEvery     = 10 * time.Second // the interval of its further logins
	loginAddresses = 4096             // remembered; the least recently seen is evicted
)

// A Throttle limits failed logins by address. It is safe for concurrent use.
type Throttle struct {
	mu    sync.Mutex
	known map[string]*list.Element
	order list.List // of *attempts, the most recent first
}

// attempts are those of one address.
type attempts struct {
	address  string
	limit    *rate.Limiter
	failures int // since the last success
}

// Wait takes an attempt of an address, or returns how long the address has to wait for the next one.
func (t *Throttle) Wait(address string) time.Duration {
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

// Failed counts a failure and returns the number of them since the last success.
func (t *Throttle) Failed(address string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.of(address)
	a.failures++
	return a.failures
}

// Succeeded forgets the attempts of an address.
func (t *Throttle) Succeeded(address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if place := t.known[address]; place != nil {
		t.order.Remove(place)
		delete(t.known, address)
	}
}

// of returns the attempts of an address. The caller holds the lock.
func (t *Throttle) of(address string) *attempts {
	if place := t.known[address]; place != nil {
		t.order.MoveToFront(place)
		return place.Value.(*attempts)
	}
	if t.order.Len() >= loginAddresses {
		delete(t.known, t.order.Remove(t.order.Back()).(*attempts).address)
	}
	if t.known == nil {
		t.known = map[string]*list.Element{}
	}
	a := &attempts{address: address, limit: rate.NewLimiter(rate.Every(loginEvery), Burst)}
	t.known[address] = t.order.PushFront(a)
	return a
}
