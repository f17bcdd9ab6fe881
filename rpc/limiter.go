package rpc

import (
	"container/list"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"agentleague/protocol"
)

// Limits is how much a node takes of others in a second. Zero is the default,
// negative no limit.
//
// What a league of our own agents does is never limited, however fast it is:
// the manager's broadcasts, the calls of a match, reports. They carry tokens,
// and there are no more of them than the league has matches. Limited is what
// anybody can send without end: questions that need no token and requests that
// are refused, by address, and the questions of one registered agent.
type Limits struct {
	Agent  float64 // of one agent, by its token: queries, and registering again; default 100
	Open   float64 // of one address: requests that need no token; default 200
	Failed float64 // of one address: requests that are refused; default 100
}

// withDefaults fills in what is zero, in calls per second. Below zero means no limit, and stays.
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
	ofAddress bool         // outsiders are limited together as well, since they are told apart by a header
	refused   atomic.Int64 // when somebody was last not let through

	mu    sync.Mutex
	crowd *Limiter                 // of all outsiders together; nil: none has come yet
	known map[string]*list.Element // nil: nobody has come yet
	order list.List                // of *bucket, the one used last in front
}

// A bucket is how much one caller may still ask.
type bucket struct {
	who   string
	limit *rate.Limiter
}

// maxBuckets is how many a limiter remembers. Who is forgotten starts anew.
const maxBuckets = 1 << 14

// NewLimiter returns a limiter. One that lets everything through is nil.
func NewLimiter(perSecond float64) *Limiter {
	if perSecond <= 0 {
		return nil
	}
	return &Limiter{perSecond: rate.Limit(perSecond), burst: max(int(2*perSecond), 1), most: maxBuckets}
}

// crowds is how many outsiders may come at once, each as often as one may: a header that is forged after all gains
// nobody more than that.
const crowds = 10

// ofOutsiders is the limiter of all outsiders together. The caller holds the lock.
func (l *Limiter) ofOutsiders() *Limiter {
	if l.crowd == nil && l.ofAddress {
		l.crowd = NewLimiter(crowds * float64(l.perSecond))
	}
	return l.crowd
}

// Allow reports whether who may come once more.
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

// exhausted reports whether who would not be let through just now. It costs
// next to nothing while everybody is.
func (l *Limiter) exhausted(who func() string) bool {
	if time.Since(time.Unix(0, l.refused.Load())) > time.Second {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	place := l.known[who()]
	return place != nil && place.Value.(*bucket).limit.Tokens() < 1
}

// add begins to count a caller. With too many of them the one that was heard longest ago is forgotten: a flood of
// addresses takes no more memory than the limiter has room for.
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

// An addressLimiter is a limiter of addresses that is made for the first of them. A process may host ten thousand
// agents of which nobody ever asks too much.
type addressLimiter struct{ made atomic.Pointer[Limiter] }

// Allow reports whether an address may come once more, of so many times in a second, which are always the same; 0 or
// less: as often as it likes.
func (l *addressLimiter) Allow(perSecond float64, addr string) bool {
	if perSecond <= 0 {
		return true
	}
	return l.limiter(perSecond).Allow(limiterKey(addr))
}

// exhausted reports whether an address would not be let through just now. It costs next to nothing while everybody is.
func (l *addressLimiter) exhausted(addr string) bool {
	made := l.made.Load()
	return made != nil && made.exhausted(func() string { return limiterKey(addr) })
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

// AddressKey is what an address is counted by: an IPv6 address by its
// network, of which one machine has as many addresses as it likes.
func AddressKey(addr string) string { return limiterKey(addr) }

// limiterKey is what an address is counted under. All of an IPv6 network of 64 bits is one: everybody has as many
// addresses of it as they like.
func limiterKey(addr string) string {
	if !strings.Contains(addr, ":") {
		return addr
	}
	if told, ok := strings.CutPrefix(addr, Outsider+" "); ok {
		return Outsider + " " + limiterKey(told)
	}
	a, err := netip.ParseAddr(addr)
	switch {
	case err != nil:
		return addr
	case a.Is4In6():
		return a.Unmap().String()
	}
	p, _ := a.WithZone("").Prefix(64)
	return p.Addr().String()
}

// isOutside reports whether an address is that of an outsider whom a proxy tells apart from others.
func isOutside(addr string) bool { return strings.HasPrefix(addr, Outsider+" ") }

// TooMany is the error of one who comes too often.
func TooMany(what string) *protocol.Error {
	return protocol.Errorf(protocol.RateLimited, "too many %s in a second; try again later", what)
}
