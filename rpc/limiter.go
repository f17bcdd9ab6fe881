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

// Limits are the rate limits of a node. Zero is the default, negative no limit.
//
// A league of our own agents is never limited, at any speed: the manager's broadcasts, the calls of a match, reports.
// They carry tokens, and their number is bounded by the league's matches. Limited are messages that any client can
// send without end: queries without a token and refused requests, by address, and the queries of one registered
// agent.
type Limits struct {
	Agent  float64 // of one agent, by its token: queries, and registering again; default 100
	Open   float64 // of one address: requests that need no token; default 200
	Failed float64 // of one address: requests that are refused; default 100
}

// withDefaults replaces zeros, in calls per second. Negative values mean no limit, and stay.
func (l Limits) withDefaults() Limits {
	for field, otherwise := range map[*float64]float64{&l.Agent: 100, &l.Open: 200, &l.Failed: 100} {
		if *field == 0 {
			*field = otherwise
		}
	}
	return l
}

// A Limiter lets each of many through so often in a second, and twice as often
// at once. It remembers only those that came last.
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

// A bucket is how much one caller may still ask.
type bucket struct {
	who   string
	limit *rate.Limiter
}

// maxBuckets limits the number of remembered callers. A forgotten caller starts anew.
const maxBuckets = 1 << 14

// NewLimiter returns a limiter. A limiter without limit is nil.
func NewLimiter(perSecond float64) *Limiter {
	if perSecond <= 0 {
		return nil
	}
	return &Limiter{perSecond: rate.Limit(perSecond), burst: max(int(2*perSecond), 1), most: maxBuckets}
}

// crowds is the common limit of outsiders, as a multiple of the individual one: it bounds the effect of a forged
// header.
const crowds = 10

// ofOutsiders is the limiter of all outsiders together. The caller holds the lock.
func (l *Limiter) ofOutsiders() *Limiter {
	if l.crowd == nil && l.ofAddress {
		l.crowd = NewLimiter(crowds * float64(l.perSecond))
	}
	return l.crowd
}

// Allow reports whether a caller may make another request.
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

// exhausted reports whether a caller would be refused now. It is cheap while no caller is.
func (l *Limiter) exhausted(who func() string) bool {
	if time.Since(time.Unix(0, l.refused.Load())) > time.Second {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	place := l.known[who()]
	return place != nil && place.Value.(*bucket).limit.Tokens() < 1
}

// add begins to count a caller. Above the limit the least recently used one is evicted: a flood of addresses takes
// bounded memory.
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

// An addressLimiter is a limiter of addresses that is created for the first of them. A process may host ten thousand
// agents, and most never need one.
type addressLimiter struct{ made atomic.Pointer[Limiter] }

// Allow reports whether an address may make another request, at a constant rate per second; 0 or less: no limit.
func (l *addressLimiter) Allow(perSecond float64, addr string) bool {
	if perSecond <= 0 {
		return true
	}
	return l.limiter(perSecond).Allow(AddressKey(addr))
}

// exhausted reports whether an address would be refused now. It is cheap while no address is.
func (l *addressLimiter) exhausted(addr string) bool {
	made := l.made.Load()
	return made != nil && made.exhausted(func() string { return AddressKey(addr) })
}

// limiter returns the limiter, which is one however many ask for it at once.
func (l *addressLimiter) limiter(perSecond float64) *Limiter {
	if made := l.made.Load(); made != nil {
		return made
	}
	made := NewLimiter(perSecond)
	made.ofAddress = true
	l.made.CompareAndSwap(nil, made)
	return l.made.Load()
}

// TooMany is the rate-limit error.
func TooMany(what string) *protocol.Error {
	return protocol.Errorf(protocol.RateLimited, "too many %s in a second; try again later", what)
}
