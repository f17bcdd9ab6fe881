package manager_test

import (
	"context"
	"testing"
	"time"

	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// TestAgentThatWasCutOffWhenItRegisteredIsFoundLater has a player that is unreachable for longer than the fast probes.
// The player does not notice, so the manager must keep probing.
func TestAgentThatWasCutOffWhenItRegisteredIsFoundLater(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.bootManager()
		w.bootReferee(1)
		w.bootPlayer(1)
		w.procs["P01"].Serve(nil)
		w.bootPlayer(2)
		time.Sleep(30 * time.Second)
		w.procs["P01"].Serve(w.players["P01"].Node)
		if w.finish(10 * time.Minute) {
			w.checkLaws()
		}
	})
}

// TestOrderThatIsFetchedCanBePlayed has a referee of another make ask for its matches. It reads them as strictly as
// ours do.
func TestOrderThatIsFetchedCanBePlayed(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.masked["REF01"], w.fetches = true, true
		w.bootManager()
		w.bootReferee(1)
		w.referees["REF01"].Node.Handle(protocol.TypeStartMatch,
			func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
				return nil, protocol.Errorf(protocol.OutOfTurn, "this referee asks for its matches")
			})
		w.bootPlayer(1)
		w.bootPlayer(2)
		if !w.finish(time.Minute) {
			return
		}
		w.checkLaws()
		if got := len(w.state().Matches["R1M1"].Assigned); got != 1 {
			t.Errorf("the match took %d attempts, want 1", got)
		}
	})
}

// The repeated registration of a foreign player in a running league changes nothing in the log. Referees are informed
// nevertheless: earlier failures no longer count.
func TestRefereesAreToldOfARegistrationThatChangesNothing(t *testing.T) {
	inWorld(t, 1, rpctest.Faults{}, manager.Options{StartPlayers: 2}, func(w *world) {
		w.bootManager()
		w.bootReferee(1)
		told := make(chan string, 1000)
		w.referees["REF01"].Node.Handle(protocol.TypeStartMatch,
			func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
				order := m.(*protocol.StartMatch)
				for _, p := range []protocol.Contender{order.PlayerA, order.PlayerB} {
					if p.PublicKey == "" {
						told <- p.RegisteredAt
					}
				}
				return nil, protocol.Errorf(protocol.OutOfTurn, "not now")
			})
		w.bootPlayer(1)
		const url = "http://localhost:8199/mcp"
		p := w.net.Boot("foreign", url)
		node := rpc.NewNode("player:foreign", rpc.Options{Network: p})
		p.Serve(node)
		register := func() {
			t.Helper()
			if _, err := node.Call(w.ctx, rpc.Peer{Endpoint: managerURL}, &protocol.LeagueRegisterRequest{
				Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterRequest, ConversationID: "c"},
				Meta:     named("foreign", url),
			}); err != nil {
				t.Fatal(err)
			}
		}
		register()
		first := <-told
		time.Sleep(10 * time.Second)
		register()
		for late := time.After(10 * time.Minute); ; {
			select {
			case at := <-told:
				if at > first {
					return
				}
			case <-late:
				t.Fatalf("referees are told %s, when it registered first", first)
			}
		}
	})
}
