package rpc_test

import (
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// The peer's time is that of the form that it understands; the refused forms count as search time.
func TestTheSearchIsNotThePeersTime(t *testing.T) {
	onStreet(t, time.Millisecond, func(t *testing.T, s *street, n *rpc.Node) {
		s.move("peer:1", manner{"tool", "receive_parity_call"}.refuses(refusals[0], said[protocol.TypeChooseParityCall]))
		var first, second rpc.SearchTime
		start := time.Now()
		if _, err := n.Call(rpc.WithSearchTime(t.Context(), &first), peer, message(protocol.TypeChooseParityCall)); err != nil {
			t.Fatal(err)
		}
		took, tries := time.Since(start), len(s.bodies("peer:1"))
		if tries < 3 || first.Duration() == 0 || took-first.Duration() > 2*took/time.Duration(tries) {
			t.Errorf("%d tries took %s, %s of it the search's: want all but the last", tries, took, first.Duration())
		}
		if _, err := n.Call(rpc.WithSearchTime(t.Context(), &second), peer, message(protocol.TypeChooseParityCall)); err != nil ||
			second.Duration() != 0 {
			t.Errorf("the form is known, and %s went into the search: %v", second.Duration(), err)
		}
		if none := (*rpc.SearchTime)(nil); none.Duration() != 0 {
			t.Error("nothing takes time")
		}
	})
}
