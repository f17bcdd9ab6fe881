package rpc

import (
	"container/list"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"agentleague/protocol"
)

// Limits are the rate limits of a node, in requests per second. Zero selects the default, a negative value no limit.
//
// The messages of a league of this program's agents carry tokens and are never limited: their number is bounded by the
// league's matches. Limited are messages that any client can send without end: queries without a token and refused
// requests, by address, and the queries of one registered agent.
type Limits struct {
	Agent  float64 // of one agent, by its token: queries, and registering again; default 100
	Open   float64 // of one address: requests that need no token; default 200
	Failed float64 // of one address: requests that are refused; default 100
}

// withDefaults replaces zero values by the defaults.
func (l Limits) withDefaults() Limits {
	for field, otherwise := range map[*float64]float64{&l.Agent: 100, &l.Open: 200, &l.Failed: 100} {
		if *field == 0 {
			*field = otherwise
		}
	}
	return l
}

// A Limiter is a rate limiter per key, with a burst of twice the rate per second.
// It is safe for concurrent use and remembers a limited number of keys.
type Limiter struct {
	perSecond rate.Limit
	burst     int
	most      int
	ofAddress bool         // outsiders also have a common limit, since a header distinguishes them
	refused   atomic.Int64 // the time of the last refusal

	mu    sync.Mutex
	crowd *Limiter                 // of all outsiders together; nil: none has come yet
	known map[string]*list.Element // nil: no callers yet
	order list.List                // of *bucket, the one used last in front
}

// A bucket is the token bucket of one key.
type bucket struct {
	who   string
	limit *rate.Limiter
}

// maxBuckets is the maximum number of keys. An evicted key starts with a full burst.
const maxBuckets = 1 << 14

// NewLimiter returns a limiter, or nil, which limits nothing, for a rate that is not positive.
func NewLimiter(perSecond float64) *Limiter {
	if perSecond <= 0 {
		return nil
	}
	return &Limiter{perSecond: rate.Limit(perSecond), burst: max(int(2*perSecond), 1), most: maxBuckets}
}

// crowds is the factor by which the common limit of all clients behind proxies exceeds the limit of one. It bounds the
// effect of forged proxy headers.
const crowds = 10

// ofOutsiders returns the common limiter of all clients behind proxies. The caller holds the lock.
func (l *Limiter) ofOutsiders() *Limiter {
	if l.crowd == nil && l.ofAddress {
		l.crowd = NewLimiter(crowds * float64(l.perSecond))
	}
	return l.crowd
}

// Allow reports whether the caller with the key who may make another request now, and counts that request.
func (l *Limiter) Allow(who string) bool {
	if l == nil {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	place := l.known[who]
	if place == nil {
		place = l.add(who)
	} else {
		l.order.MoveToFront(place)
	}
	now := time.Now()
	if place.Value.(*bucket).limit.AllowN(now, 1) && (!isOutside(who) || l.ofOutsiders().Allow(Outsider)) {
		return true
	}
	l.refused.Store(now.UnixNano())
	return false
}

// exhausted reports whether a caller would be refused now, without counting a request. who returns the caller's key; it
// is called only if the limiter has refused a request within the last second.
func (l *Limiter) exhausted(who func() string) bool {
	if time.Since(time.Unix(0, l.refused.Load())) > time.Second {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	place := l.known[who()]
	return place != nil && place.Value.(*bucket).limit.Tokens() < 1
}

// add starts counting a caller. Above maxBuckets the least recently used caller is evicted, so that a flood of
// addresses takes bounded memory.
func (l *Limiter) add(who string) *list.Element {
	if l.order.Len() >= l.most {
		delete(l.known, l.order.Remove(l.order.Back()).(*bucket).who)
	}
	if l.known == nil {
		l.known = map[string]*list.Element{}
	}
	b := &bucket{strings.Clone(who), rate.NewLimiter(l.perSecond, l.burst)}
	place := l.order.PushFront(b)
	l.known[b.who] = place
	return place
}

// An addressLimiter is a Limiter of addresses that is created on first use. A process may host ten thousand
// agents, and most never need one.
type addressLimiter struct{ made atomic.Pointer[Limiter] }

// Allow reports whether an address may make another request. perSecond must be the same in all calls; 0 or less means
// no limit.
func (l *addressLimiter) Allow(perSecond float64, addr string) bool {
	if perSecond <= 0 {
		return true
	}
	return l.limiter(perSecond).Allow(AddressKey(addr))
}

// exhausted reports whether an address would be refused now, without counting a request.
func (l *addressLimiter) exhausted(addr string) bool {
	made := l.made.Load()
	return made != nil && made.exhausted(func() string { return AddressKey(addr) })
}

// limiter returns the limiter. Concurrent first calls get the same one.
func (l *addressLimiter) limiter(perSecond float64) *Limiter {
	if made := l.made.Load(); made != nil {
		return made
	}
	made := NewLimiter(perSecond)
	made.ofAddress = true
	l.made.CompareAndSwap(nil, made)
	return l.made.Load()
}

// TooMany returns the rate-limit error for what, such as "queries".
func TooMany(what string) *protocol.Error {
	return protocol.Errorf(protocol.RateLimited, "too many %s in a second; try again later", what)
}
