package rpc_test

import (
	"fmt"
	"os"
	"testing"

	"agentleague/dialect"
	"agentleague/dialect/notation"
	"agentleague/protocol"
	"agentleague/rpc"
)

// meet calls a foreign peer that understands one form alone, and returns the number of calls and whether it was
// understood in the end.
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

// hints are dialects that a peer's registration may suggest, correctly or not. Of those with the same forms of a
// message, one is enough.
func hints(typ protocol.Type) (out []string) {
	known := map[string]bool{}
	for _, row := range append([]dialect.Row{{}}, dialect.Rows...) {
		forms := fmt.Sprint(dialect.Candidates(notation.Dialect{Row: row.Name}, typ))
		if !known[forms] {
			out = append(out, row.Name)
		}
		known[forms] = true
	}
	return out
}

// met lists the possible forms of peers after such a registration. A peer that supports only protocol/message registers
// with it or with a tool; a single name for all news is a method, not a tool.
func met(typ protocol.Type, hint string) []manner {
	out := manners(typ)
	if typ == protocol.TypeRoundAnnouncement {
		out = append(out, manner{"call", "notify"})
	}
	if hint == "C" || hint == "P" {
		out = append(out, manner{"protocol", string(typ)})
		if typ == protocol.TypeGameInvitation {
			out = append(out, manner{"protocol", "GAME_INVITE"})
		}
	}
	return out
}

// Whatever the form of an agent's registration and of its refusals, it understands the first message in one of twelve
// forms, if at most twelve forms are possible. If more are possible, no form is wasted: at most the surplus is missed.
// A form is spent where refusals do not distinguish a wrong method from a wrong path (404, 405) or a missing session
// (406), and on the session that a hint suggests. The frame of the hint and the first name in any frame are never
// missed. A peer that refuses with JSON-RPC errors is missed only if it does not use JSON-RPC. Every second way of
// refusing is tested, with LEAGUE_LONG=1 each.
func TestLongEveryMannerIsFoundWithinTwelveForms(t *testing.T) {
	oneIn := 2
	if os.Getenv("LEAGUE_LONG") != "" {
		oneIn = 1
	}
	for _, typ := range []protocol.Type{protocol.TypeGameInvitation, protocol.TypeRoundAnnouncement, protocol.TypeGameOver} {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			findManners(t, typ, oneIn)
		})
	}
}

// The same for the message that comes first, with one way of refusing in six.
func TestMannersAreFoundWithinTwelveForms(t *testing.T) {
	findManners(t, protocol.TypeGameInvitation, 6)
}

// findManners calls a peer for each way to refuse, or for one in so many.
func findManners(t *testing.T, typ protocol.Type, oneIn int) {
	for n := 0; n < len(refusals); n += oneIn {
		r := refusals[n]
		for _, hint := range hints(typ) {
			var lost []manner
			all := met(typ, hint)
			for _, m := range all {
				calls, understood := meet(t, typ, m, r, hint)
				if calls > dialect.MaxCandidates {
					t.Errorf("%v refusing %v, hint %q: %d calls, want at most %d", m, r, hint, calls, dialect.MaxCandidates)
				}
				if !understood {
					lost = append(lost, m)
				}
			}
			needed := len(all)
			if r.spends() || hint == "M" {
				needed++
			}
			if len(lost) > max(0, needed-dialect.MaxCandidates) {
				t.Errorf("refusing %v, hint %q: not found %v, of %d", r, hint, lost, needed)
			}
			for _, m := range lost {
				if m.frame == hintedFrame(hint) || r.coded() && !m.plain() || !r.coded() && m.first(typ) {
					t.Errorf("refusing %v, hint %q: %v is not found, before others that are less likely", r, hint, m)
				}
			}
		}
	}
}

// plain reports whether an agent of that manner does without JSON-RPC.
func (m manner) plain() bool { return m.frame == "data" || m.frame == "bare" }

// first reports whether it is the first name in its frame.
func (m manner) first(typ protocol.Type) bool {
	return m.name == names[typ].calls[0] || m.name == string(typ)
}

// hintedFrame returns the frame that a hint suggests.
func hintedFrame(hint string) string {
	for _, r := range dialect.Rows {
		if r.Name == hint {
			return r.Frame
		}
	}
	return "call"
}

// After one message was understood, the search for the next begins in the same frame, and tries every name in it before
// any other frame.
func TestOneMessageUnderstoodLeadsToTheOthers(t *testing.T) {
	for _, typ := range []protocol.Type{
		protocol.TypeChooseParityCall, protocol.TypeGameOver, protocol.TypeRoundAnnouncement,
		protocol.TypeLeagueStandingsUpdate,
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
						if calls, understood := meet(t, typ, m, r, dialect); !understood || calls > 7 {
							t.Errorf("%v refusing %v after %q: understood %v after %d calls, want at most 7", m, r, dialect,
								understood, calls)
						}
					}
				}
			}
		})
	}
}

// To a manager our agents are the strangers.
func TestManagersAreFoundWithinTwelveForms(t *testing.T) {
	for _, typ := range []protocol.Type{
		protocol.TypeLeagueRegisterRequest, protocol.TypeMatchResultReport, protocol.TypeLeagueQuery,
	} {
		for _, m := range manners(typ) {
			for _, r := range refusals {
				if r.coded() && m.plain() || r.spends() && m == (manner{"tool", "league_register"}) {
					// a peer without JSON-RPC does not refuse with its errors; a form is spent on the path, and one on POST /register
					continue
				}
				if calls, understood := meet(t, typ, m, r, ""); !understood || calls > dialect.MaxCandidates {
					t.Errorf("%s: %v refusing %v: understood %v after %d calls", typ, m, r, understood, calls)
				}
			}
		}
	}
}
