package rpc_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

const ack = `{"jsonrpc":"2.0","id":1,"result":{"status":"ok"}}`

// withMessage counts the calls that carry a message of a type.
func withMessage(bodies []string, typ protocol.Type) (n int) {
	for _, b := range bodies {
		if strings.Contains(b, `"conversation_id"`) && strings.Contains(b, `"`+string(typ)+`"`) {
			n++
		}
	}
	return n
}

func TestWhoNodsAtEverythingIsToldOnceAndRemembered(t *testing.T) {
	news := []protocol.Type{protocol.TypeGameInvitation, protocol.TypeGameOver, protocol.TypeRoundAnnouncement,
		protocol.TypeLeagueStandingsUpdate}
	for _, row := range []string{"", "A", "B", "C", "D", "F", "B from=type/data"} {
		net := newStreet(timeless{}, 0)
		net.move("peer:1", func(string, []byte) (int, string, error) { return 200, ack, nil })
		n := rpc.NewNode("referee:REF01", rpc.Options{Network: net})
		to := rpc.Peer{Endpoint: "http://peer:1/mcp", Dialect: row}
		for range 2 {
			for _, typ := range news {
				if _, err := n.Call(t.Context(), to, message(typ)); err != nil {
					t.Errorf("row %q: %s: %v", row, typ, err)
				}
			}
		}
		for _, typ := range news {
			if got := withMessage(net.bodies("peer:1"), typ); got != 2 {
				t.Errorf("row %q: %s arrived %d times in two calls, want twice", row, typ, got)
			}
		}
		said := n.Dialect(to)
		if !strings.Contains(said, " nods ") {
			t.Errorf("row %q: learned %q, want that it nods", row, said)
		}
		before := len(net.bodies("peer:1"))
		another := rpc.NewNode("referee:REF02", rpc.Options{Network: net})
		to.Dialect = said
		_, err := another.Call(t.Context(), to, message(protocol.TypeRoundCompleted))
		if got := len(net.bodies("peer:1")) - before; got != 1 || err != nil {
			t.Errorf("row %q: who was told of it called %d times, want once: %v", row, got, err)
		}
	}
}

// TestWhoNodsAtTheUnknownIsFoundByItsNames calls an agent that acknowledges unknown methods, and has its own method
// names.
func TestWhoNodsAtTheUnknownIsFoundByItsNames(t *testing.T) {
	net := newStreet(timeless{}, 0)
	net.move("peer:1", func(_ string, body []byte) (int, string, error) {
		switch b := string(body); {
		case strings.Contains(b, `"method":"game_over"`) && !strings.Contains(b, `"match_id"`):
			return 422, `{"detail":"no match"}`, nil
		case strings.Contains(b, `"method":"game_over"`), strings.Contains(b, `"method":"round_announcement"`):
			return 200, `{"jsonrpc":"2.0","id":1,"result":{"status":"taken"}}`, nil
		}
		return 200, ack, nil
	})
	n := rpc.NewNode("referee:REF01", rpc.Options{Network: net})
	to := rpc.Peer{Endpoint: "http://peer:1/mcp", Dialect: "A"}
	for _, typ := range []protocol.Type{protocol.TypeRoundAnnouncement, protocol.TypeGameOver} {
		if _, err := n.Call(t.Context(), to, message(typ)); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
	}
	const want = "A GAME_OVER=call:game_over ROUND_ANNOUNCEMENT=call:round_announcement"
	if got := n.Dialect(to); got != want {
		t.Errorf("learned %q, want %q", got, want)
	}
}

// A referee that executes announcements as orders, and only acknowledges them, gets a concurrent order in the same form
// while the other forms are tried.
func TestWhoTakesAnAnnouncementForAnOrderGetsAllOrdersSo(t *testing.T) {
	net := newStreet(timeless{}, 0)
	n := rpc.NewNode("league_manager", rpc.Options{Network: net})
	to := rpc.Peer{Endpoint: "http://peer:1/mcp", Dialect: "D"}
	var second sync.WaitGroup
	var once sync.Once
	net.move("peer:1", func(_ string, body []byte) (int, string, error) {
		if b := string(body); strings.Contains(b, `"handle_message"`) && strings.Contains(b, `"ROUND_ANNOUNCEMENT"`) {
			return 200, `{"jsonrpc":"2.0","id":1,"result":null}`, nil
		}
		once.Do(func() {
			begun := make(chan struct{})
			second.Go(func() {
				close(begun)
				if _, err := n.Call(t.Context(), to, message(protocol.TypeStartMatch)); err != nil {
					t.Errorf("the second order: %v", err)
				}
			})
			<-begun
			time.Sleep(20 * time.Millisecond) // it asks, or waits
		})
		return 500, `{"code":-32000,"message":"Missing required fields"}`, nil
	})
	if _, err := n.Call(t.Context(), to, message(protocol.TypeStartMatch)); err != nil {
		t.Errorf("the first order: %v", err)
	}
	second.Wait()
}
