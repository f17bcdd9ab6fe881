package enginetest

import (
	"fmt"
	"sync"
	"time"

	"agentleague/engine"
)

// leaseLaws are about claims on a key, which run out.
var leaseLaws = []law{
	{"a held key is refused by its holder's name", heldKeyIsRefused},
	{"one claimant wins a key", oneClaimantWins},
	{"a claim runs out", claimRunsOut},
	{"a claim that ran out cannot be renewed", expiredClaimIsLost},
	{"renewing keeps a claim", renewingKeepsClaim},
	{"releasing frees the key", releasingFreesKey},
	{"a claim needs a holder and a ttl", claimNeedsHolderAndTTL},
}

// The error names the holder, so that a person knows which process to end. A second claim of the same holder is
// refused as well: two processes may share a name.
func heldKeyIsRefused(r *rig) {
	a, b := r.pair()
	r.held("key", "", a, b)
	r.keep(a, "key", "one")
	r.held("key", "one", a, b)
	for _, holder := range []string{"two", "one"} {
		_, err := b.Acquire(r.Context(), "key", holder, r.TTL)
		r.refusedBy("one", "key", err)
	}
	r.keep(b, "other", "two")
	r.held("other", "two", a, b)
}

// However many claim at once, one has the key.
func oneClaimantWins(r *rig) {
	a, b := r.pair()
	var wg sync.WaitGroup
	won := make(chan string, 8)
	for i := range cap(won) {
		wg.Go(func() {
			holder := fmt.Sprintf("holder_%d", i)
			if _, err := []engine.Engine{a, b}[i%2].Acquire(r.Context(), "key", holder, time.Hour); err == nil {
				won <- holder
			}
		})
	}
	wg.Wait()
	if len(won) != 1 {
		r.Fatalf("%d claimants hold the key, want 1", len(won))
	}
	r.held("key", <-won, a, b)
}

// The key of a killed process is free after one TTL. A slow process does not lose its key earlier.
func claimRunsOut(r *rig) {
	a, b := r.pair()
	start := time.Now()
	first := r.claim(a, "key", "one")
	r.until("the next claimant is let in", func() bool {
		_, err := b.Acquire(r.Context(), "key", "two", time.Hour)
		return err == nil
	})
	if waited := time.Since(start); waited < r.TTL {
		r.Errorf("the next claimant is let in after %v, want not before %v", waited, r.TTL)
	}
	r.refused("renew a claim that another took over", first.Renew(r.Context()), engine.ErrLost)
	r.must("release a claim that another took over", first.Release(r.Context()))
	r.held("key", "two", a, b)
}

// A renewal after the expiry is an error, because another holder may have had the key in between.
func expiredClaimIsLost(r *rig) {
	e := r.open()
	claim := r.claim(e, "key", "one")
	r.until("nobody holds the key", func() bool {
		holder, err := e.Holder(r.Context(), "key")
		return err == nil && holder == ""
	})
	r.refused("renew", claim.Renew(r.Context()), engine.ErrLost)
	r.held("key", "", e)
}

// A claim that is renewed in time is held for any length of time. Where a busy machine kept the holder itself from
// renewing in time, nothing was learned, and it is tried with another key.
func renewingKeepsClaim(r *rig) {
	a, b := r.pair()
	for attempt := range 20 {
		key := fmt.Sprintf("key_%d", attempt)
		slowest, err := renewed(r, a, b, key)
		if slowest < r.TTL {
			r.refusedBy("one", key, err)
			return
		}
	}
	r.Fatalf("no claim of 20 was renewed within %v each time", r.TTL)
}

// renewed claims a key as holder, renews it for longer than its TTL, and then tries to acquire it as other. It returns
// the longest time between two of these calls, and the first error; the expected one is that of the last call.
func renewed(r *rig, holder, other engine.Engine, key string) (slowest time.Duration, err error) {
	last := time.Now()
	claim := r.claim(holder, key, "one")
	lap := func() { slowest, last = max(slowest, time.Since(last)), time.Now() }
	for n := 0; n < 6 && err == nil; n++ {
		time.Sleep(r.TTL / 4)
		err = claim.Renew(r.Context())
		lap()
	}
	if err == nil {
		_, err = other.Acquire(r.Context(), key, "two", r.TTL)
		lap()
	}
	return slowest, err
}

// After a release the next need not wait for the TTL.
func releasingFreesKey(r *rig) {
	a, b := r.pair()
	first, err := a.Acquire(r.Context(), "key", "one", time.Hour)
	r.must("acquire", err)
	r.must("release", first.Release(r.Context()))
	r.held("key", "", a, b)
	r.refused("renew what was released", first.Renew(r.Context()), engine.ErrLost)
	_, err = b.Acquire(r.Context(), "key", "two", time.Hour)
	r.must("acquire a released key", err)
	r.must("release again", first.Release(r.Context()))
	r.held("key", "two", a, b)
}

// A claim without holder or without duration is an error of the caller.
func claimNeedsHolderAndTTL(r *rig) {
	e := r.open()
	_, err := e.Acquire(r.Context(), "key", "", r.TTL)
	r.refused("acquire for nobody", err, engine.ErrLease)
	for _, ttl := range []time.Duration{0, -time.Second} {
		_, err := e.Acquire(r.Context(), "key", "one", ttl)
		r.refused("acquire for no time", err, engine.ErrLease)
	}
	r.held("key", "", e)
}
