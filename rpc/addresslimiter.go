package rpc

import "sync/atomic"

// An addressLimiter is a limiter of addresses that is made for the first of them. A process may host ten thousand agents of
// which nobody ever asks too much.
type addressLimiter struct{ made atomic.Pointer[Limiter] }

// Allow reports whether an address may come once more, of so many times in a second, which are always the same; 0 or less: as
// often as it likes.
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
