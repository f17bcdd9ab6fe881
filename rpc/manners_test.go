package rpc_test

import (
	"testing"

	"agentleague/protocol"
	"agentleague/rpc"
)

// meet calls a stranger who understands one manner alone, and tells how often
// it was called and whether it was understood in the end.
func meet(t *testing.T, typ protocol.Type, m manner, r refusing, dialect string) (calls int, understood bool) {
	t.Helper()
	answer := said[typ]
	if answer == "" {
		answer = `{"status":"ok"}`
	}
	net := newStreet(timeless{}, 0)
	net.move("peer:1", m.refuses(r, answer))
	n := rpc.NewNode("referee:REF01", rpc.Options{Network: net})
	_, err := n.Call(t.Context(), rpc.Peer{Endpoint: "http://peer:1/mcp", Dialect: dialect}, message(typ))
	bodies := net.bodies("peer:1")
	offered := map[string]bool{}
	for _, b := range bodies {
		if key := withoutID(b); offered[key] {
			t.Errorf("%s, %v of %v, %q: offered twice: %s", typ, r, m, dialect, b)
		} else {
			offered[key] = true
		}
	}
	return len(bodies), err == nil
}

// hints are what a peer's registration can have told of it, rightly or wrongly.
func hints() []string {
	out := []string{""}
	for _, r := range protocol.Rows {
		out = append(out, r.Name)
	}
	return out
}

// Whatever an agent's registration looked like and however it refuses, the
// first message to it is understood in one of twelve forms, with few exceptions:
// of a message with four names one may be missed, and one more where refusals do
// not tell a wrong method from a wrong path or a missing session; two after a
// registration with a tool, three after one with protocol/message.
func TestEveryMannerIsFoundWithinTwelveForms(t *testing.T) {
	for _, typ := range []protocol.Type{protocol.TypeGameInvitation, protocol.TypeRoundAnnouncement} { // what an agent hears first
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			for _, r := range refusals {
				for _, hint := range hints() {
					var lost []manner
					for _, m := range manners(typ) {
						if r.coded() && (m.frame == "data" || m.frame == "bare") {
							continue // who speaks no JSON-RPC does not refuse in its words
						}
						calls, understood := meet(t, typ, m, r, hint)
						if calls > protocol.MaxCandidates+1 { // and one question of which nothing is to be understood
							t.Errorf("%v refusing %v, hint %q: %d calls, want at most %d", m, r, hint, calls, protocol.MaxCandidates+1)
						}
						if !understood {
							lost = append(lost, m)
						}
					}
					allowed := 0
					if len(names[typ].calls) > 3 {
						allowed = 1
					}
					if r.spends() || hint == "M" {
						allowed++
					}
					if hint == "P" { // nothing that it could be mistaken for registers so
						allowed = 3
					}
					if hint == "C" { // who registers with a tool may have one method for the rest: two forms are spent on that
						allowed = 2
					}
					if len(lost) > allowed {
						t.Errorf("refusing %v, hint %q: not found %v", r, hint, lost)
					}
				}
			}
		})
	}
}

// Who has understood one message is spoken to in the same frame, and every
// name is tried in it before any other frame.
func TestOneMessageUnderstoodLeadsToTheOthers(t *testing.T) {
	for _, typ := range []protocol.Type{
		protocol.TypeChooseParityCall, protocol.TypeGameOver, protocol.TypeRoundAnnouncement, protocol.TypeLeagueStandingsUpdate,
	} {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			for _, m := range manners(typ) {
				for _, first := range manners(protocol.TypeGameInvitation) {
					if first.frame != m.frame {
						continue
					}
					dialect := "A GAME_INVITATION=" + first.frame + ":" + first.name
					for _, r := range refusals {
						if calls, understood := meet(t, typ, m, r, dialect); !understood || calls > 8 {
							t.Errorf("%v refusing %v after %q: understood %v after %d calls, want at most 8", m, r, dialect, understood, calls)
						}
					}
				}
			}
		})
	}
}

// To a manager our agents are the strangers.
func TestManagersAreFoundWithinTwelveForms(t *testing.T) {
	for _, typ := range []protocol.Type{protocol.TypeLeagueRegisterRequest, protocol.TypeMatchResultReport, protocol.TypeLeagueQuery} {
		for _, m := range manners(typ) {
			for _, r := range refusals {
				if r.coded() && (m.frame == "data" || m.frame == "bare") || r.spends() && m == (manner{"tool", "league_register"}) {
					continue // who speaks no JSON-RPC does not refuse in its words; a form is spent on the path, and one on POST /register
				}
				if calls, understood := meet(t, typ, m, r, ""); !understood || calls > protocol.MaxCandidates+1 {
					t.Errorf("%s: %v refusing %v: understood %v after %d calls", typ, m, r, understood, calls)
				}
			}
		}
	}
}
