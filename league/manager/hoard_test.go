package manager_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// A hoard is the set of matches that a guest accepts and never plays.
type hoard struct {
	mu     sync.Mutex
	orders map[string]time.Time // when each match was ordered first
}

// sits makes a native guest accept every match and play none. It answers all else as it should.
func (w *world) sits(referee int, matches int) *hoard {
	name := protocol.AgentID(protocol.RoleReferee, referee)
	w.guests[name], w.refOpts.MaxMatches = true, matches
	w.bootReferee(referee)
	w.refOpts.MaxMatches = 0
	h := &hoard{orders: map[string]time.Time{}}
	accept := func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if id := m.Head().MatchID; h.orders[id].IsZero() {
			h.orders[id] = time.Now()
		}
		head := protocol.Envelope{MessageType: protocol.TypeStartMatchAck, MatchID: m.Head().MatchID}
		return &protocol.StartMatchAck{Envelope: head, Status: protocol.Accepted}, nil
	}
	w.referees[name].Node.Handle(protocol.TypeStartMatch, accept)
	return h
}

func (h *hoard) size() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.orders)
}

// TestGuestThatNeverPlaysLosesItsMatches has a guest accept every match and never play. After five minutes the
// organiser's referee gets them.
func TestGuestThatNeverPlaysLosesItsMatches(t *testing.T) {
	const patience = 5 * time.Minute
	inWorld(t, 54, rpctest.Faults{}, manager.Options{StartPlayers: 4}, func(w *world) {
		w.bootManager()
		h := w.sits(1, 4)
		for n := range 4 {
			w.bootPlayer(n + 1)
		}
		w.await(time.Minute, "the guest has the first round", func(*league.State) bool { return h.size() == 2 })
		began := time.Now()
		w.bootReferee(2) // the organiser's, which may come at any time
		time.Sleep(patience - 10*time.Second)
		for _, m := range w.state().InRound(1) {
			if len(m.Assigned) != 1 {
				t.Errorf("%s is taken from its referee before its time: %+v", m.ID, m.Assigned)
			}
		}
		w.await(time.Minute, "the first round is closed", func(s *league.State) bool { return s.Round > 1 || !s.RoundOpen })
		if took := time.Since(began); took > patience+30*time.Second {
			t.Errorf("the first round took %v, want little more than %v", took, patience)
		}
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		for id, m := range w.state().Matches {
			if m.Outcome.Referee != "REF02" || m.Proof != league.Proven {
				t.Errorf("%s was played under %s and is %s, want it proven under REF02", id, m.Outcome.Referee, m.Proof)
			}
		}
		if !w.logged("a referee does not report a match") {
			t.Error("the organiser is not told")
		}
	})
}

// TestGuestHasAtMostSixteenMatches has a guest that offers a hundred slots, and plays nothing, in a round of twenty.
func TestGuestHasAtMostSixteenMatches(t *testing.T) {
	const most, players = 16, 40
	inWorld(t, 55, rpctest.Faults{}, manager.Options{StartPlayers: players, Rounds: 1}, func(w *world) {
		w.bootManager()
		h := w.sits(1, 100)
		for n := range players {
			w.bootPlayer(n + 1)
		}
		w.await(2*time.Minute, "the guest has what it can have", func(*league.State) bool { return h.size() == most })
		w.bootReferee(2)
		time.Sleep(4 * time.Minute)
		if got := h.size(); got != most {
			t.Errorf("the guest has %d matches, want %d", got, most)
		}
		if !w.finish(30 * time.Minute) {
			return
		}
		w.checkLaws()
		for id, m := range w.state().Matches {
			if m.Outcome.Referee != "REF02" {
				t.Errorf("%s was played under %s", id, m.Outcome.Referee)
			}
		}
	})
}
