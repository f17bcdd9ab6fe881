package manager_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// TestFinalSignaturesOfNativePlayersAreKept plays a league of three native players and a foreign one. One of the native
// players signs another log head than the one that it received.
func TestFinalSignaturesOfNativePlayersAreKept(t *testing.T) {
	words, mu := map[string][2]string{}, sync.Mutex{}
	keep := func(player, head, signature string) {
		mu.Lock()
		defer mu.Unlock()
		words[player] = [2]string{head, signature}
	}
	inWorld(t, 56, rpctest.Faults{}, manager.Options{StartPlayers: 4, FinalSignature: keep}, func(w *world) {
		w.masked["P04"] = true
		w.bootAll(1, 4)
		lies := func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
			me, other := w.identities["P03"], protocol.SHA256("another end")
			return &protocol.Ack{
				Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueCompletedAck}, Status: protocol.Acknowledged,
				PlayerID: "P03", LogHead: other, Signature: protocol.Sign(me.Key, protocol.FinalSignatureText(me.Memberships[0].Seal, "P03", other)),
			}, nil
		}
		w.players["P03"].Node.Handle(protocol.TypeLeagueCompleted, lies)
		if !w.finish(10 * time.Minute) {
			return
		}
		w.checkLaws()
		s := w.state()
		mu.Lock()
		defer mu.Unlock()
		if got := slices.Sorted(maps.Keys(words)); !slices.Equal(got, []string{"P01", "P02"}) {
			t.Errorf("the final signatures of %q are kept, want those of P01 and P02", got)
		}
		for id, said := range words {
			if err := s.CheckFinalSignature(id, said[0], said[1]); err != nil || said[0] != s.Head().Hash {
				t.Errorf("%s: %v, of the head %s", id, err, said[0])
			}
		}
		if !w.logged("a player's final signature is not saved: P03 signed another end of the league") {
			t.Error("the organiser is not told of the player that signs another end")
		}
	})
}

// TestFinalSignatureIsHeldAgainstTheEnd checks every defect of a final signature against a league that is over.
func TestFinalSignatureIsHeldAgainstTheEnd(t *testing.T) {
	inWorld(t, 57, rpctest.Faults{}, manager.Options{StartPlayers: 3}, func(w *world) {
		w.masked["P03"] = true
		w.bootManager()
		w.bootReferee(1)
		for n := range 3 {
			w.bootPlayer(n + 1)
		}
		w.await(time.Minute, "started", started)
		early := w.state()
		if !w.finish(10 * time.Minute) {
			return
		}
		s := w.state()
		head, other := s.Head().Hash, s.Heads[0].Hash
		sign := func(by, seal, of, head string) string {
			return protocol.Sign(w.identities[by].Key, protocol.FinalSignatureText(seal, of, head))
		}
		right := sign("P01", s.Seal, "P01", head)
		for _, c := range []struct {
			name, player, head, signature string
			state                         *league.State
			want                          string // of the error; "": none
		}{
			{"right", "P01", head, right, s, ""},
			{"before the end", "P01", head, right, early, "the league is not over"},
			{"of an earlier line", "P01", other, sign("P01", s.Seal, "P01", other), s, "P01 signed another end"},
			{"without a head", "P01", "", sign("P01", s.Seal, "P01", ""), s, "P01 signed another end of the league: head missing, not " + head},
			{"under another seal", "P01", head, sign("P01", other, "P01", head), s, "signature"},
			{"of another player", "P01", head, sign("P02", s.Seal, "P02", head), s, "signature"},
			{"in another's name", "P01", head, sign("P02", s.Seal, "P01", head), s, "signature"},
			{"without a signature", "P01", head, "", s, "signature"},
			{"of a foreign player", "P03", head, right, s, `"P03" is not a player that signs`},
			{"of a referee", "REF01", head, right, s, `"REF01" is not a player that signs`},
			{"of nobody", "P99", head, right, s, `"P99" is not a player that signs`},
		} {
			err := c.state.CheckFinalSignature(c.player, c.head, c.signature)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %q", c.name, err, c.want)
			}
		}
	})
}
