package rpc

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A retryBudget limits the retries to each destination to a tenth of the calls there, plus a floor: retries of refused
// calls must not keep an overloaded peer overloaded. It is safe for concurrent use.
type retryBudget struct {
	retried atomic.Bool // a destination has a bucket

	mu      sync.Mutex
	buckets map[string]*tokenBucket // by host and port; a destination without retries has none
}

// A tokenBucket counts the retries that one destination has left. If negative, that many retries are waiting.
type tokenBucket struct {
	tokens float64
	at     time.Time
}

// Bounds of the retries to one destination.
const (
	retryShare = 0.1             // tokens that each call adds
	retryFloor = 100             // tokens that each second adds
	retryBurst = 10 * retryFloor // the most tokens in a bucket
	maxRetried = 1 << 10         // destinations above which those with a full bucket are evicted
)

// processRetries is the retry budget of all nodes on the real network, since the sum of their retries loads a peer.
var processRetries retryBudget

// destination returns the host and port of an endpoint.
func destination(endpoint string) string {
	_, rest, _ := strings.Cut(endpoint, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// called adds the share of one call to its destination's budget. It does nothing for a destination without retries.
func (b *retryBudget) called(endpoint string) {
	if !b.retried.Load() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.buckets[destination(endpoint)]; t != nil {
		t.add(retryShare)
	}
}

// take reserves one retry and returns the delay before it may be sent. If the retry is not made, call giveBack.
func (b *retryBudget) take(endpoint string) (wait time.Duration, giveBack func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	host := destination(endpoint)
	t := b.buckets[host]
	if t == nil {
		if len(b.buckets) >= maxRetried {
			maps.DeleteFunc(b.buckets, func(_ string, t *tokenBucket) bool { return t.add(0) == retryBurst })
		}
		if b.buckets == nil {
			b.buckets = map[string]*tokenBucket{}
			b.retried.Store(true)
		}
		t = &tokenBucket{tokens: retryBurst, at: time.Now()}
		b.buckets[host] = t
	}
	missing := -t.add(-1)
	return time.Duration(missing / retryFloor * float64(time.Second)), func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		t.add(1)
	}
}

// add adds the given tokens, plus those for the time since the last call of add, and returns the total.
func (t *tokenBucket) add(tokens float64) float64 {
	now := time.Now()
	t.tokens = min(retryBurst, t.tokens+retryFloor*now.Sub(t.at).Seconds()) + tokens
	t.tokens, t.at = min(retryBurst, t.tokens), now
	return t.tokens
}
