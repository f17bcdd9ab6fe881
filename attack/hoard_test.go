package attack_test

import (
	"fmt"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// hoarders are guests that take more matches than they play. The league has seventeen in a round, and rests after the
// first.
func hoarders() family {
	return family{name: "hoarders", each: true, lenient: true, attacks: []attack{
		{name: "wants ten thousand matches, and plays none", want: "", try: func(a *arena) answer {
			guest, ticket := a.cast["guest"].(*stranger), a.cast["ticket"].(answer).Token
			a.start()
			for range 16 {
				select {
				case <-guest.orders:
				case <-time.After(rpctest.Patience):
					a.t.Fatal("the guest does not get its sixteen matches")
				}
			}
			a.referee("Referee Alpha", "--max-matches", "20") // the organiser's referee, which gets all other matches
			more := post(a.t, a.url, forged(protocol.TypeAssignedMatches, "referee:"+guest.name, ticket, nil))
			if n := len(guest.was(protocol.TypeStartMatch)); n != 16 {
				a.t.Errorf("the guest was given %d matches, want 16", n)
			}
			if n := len(guest.orders); n != 0 {
				a.t.Errorf("the guest was given %d matches more", n)
			}
			guest.server.Close() // and it does not answer for them either
			return answer{Code: more.Code}
		}},
	}, scene: func(t *testing.T, strict bool) *arena {
		a := newArena(t, strict, settings{pace: "1h"})
		guest := newStranger(t, 0, "")
		got := a.register(registration{role: protocol.RoleReferee, name: "Visitor", endpoint: guest.url, capacity: 10_000})
		guest.is(got.id())
		a.cast["guest"], a.cast["ticket"] = guest, got
		for n := range 34 {
			a.seat(fmt.Sprint("Player ", n+1), "even", false)
		}
		return a
	}, after: func(a *arena) {
		rpctest.Eventually(a.t, "the end of the first round", func() bool { return a.state().Recorded == 17 && !a.state().RoundOpen })
		honest(a.t, a.state())
	}}
}
