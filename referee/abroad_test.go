package referee_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// listForEver makes the manager return the same matches for every poll.
func (h *harness) listForEver(orders ...*protocol.StartMatch) (asked *int) {
	asked = new(int)
	h.manager.node.Handle(protocol.TypeAssignedMatches,
		func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
			h.set(func() { *asked++ })
			list := &protocol.Assignments{Envelope: protocol.Envelope{MessageType: protocol.TypeAssignments}}
			for _, o := range orders {
				m := *o
				m.Protocol, m.Sender, m.Timestamp = protocol.Version, "league_manager", "2000-01-01T00:00:00Z"
				wide, err := rpc.Wide(&m)
				if err != nil {
					return nil, err
				}
				list.Matches = append(list.Matches, wide)
			}
			return list, nil
		})
	return asked
}

// answersWhatItIsAsked has a player answer in the match that it is asked in.
func (p *fakePlayer) answersWhatItIsAsked(choice string) {
	p.invited = func(_ context.Context, m *protocol.GameInvitation) (protocol.Message, error) {
		ack := p.join(true)
		ack.MatchID = m.MatchID
		return ack, nil
	}
	p.asked = func(_ context.Context, m *protocol.ChooseParityCall) (protocol.Message, error) {
		answer := p.parity(quoted(choice))
		answer.MatchID = m.MatchID
		return answer, nil
	}
}

func TestAcknowledgedReportIsTheLast(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		asked := h.listForEver(order())
		h.abroad()
		pass(2 * time.Minute)
		if err := h.bootReferee(); err != nil { // results that an earlier run has reported stay reported
			t.Errorf("register: %v", err)
		}
		pass(2 * time.Minute)
		if n := scripted(h, asked); n < 50 {
			t.Errorf("the manager was asked for matches %d times, want again and again", n)
		}
		for who, want := range map[string]protocol.Type{
			"LM": protocol.TypeMatchResultReport, "P01": protocol.TypeGameInvitation, "P02": protocol.TypeGameOver,
		} {
			if got := h.heardBy(who, want); len(got) != 1 {
				t.Errorf("%s heard %s %d times, want once", who, want, len(got))
			}
		}
	})
}

func TestUnreachableManagerStillGetsItsReport(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.listForEver(order())
		h.abroad()
		failing := true
		h.set(func() {
			h.manager.reported = func(m *protocol.MatchResultReport) (protocol.Message, error) {
				if scripted(h, &failing) {
					return nil, protocol.Errorf(protocol.Internal, "not now")
				}
				return h.manager.counted(m), nil
			}
		})
		pass(time.Minute)
		if len(h.unreported()) != 1 {
			t.Errorf("unreported: got %q, want R1M1", h.unreported())
		}
		h.set(func() { failing = false })
		pass(time.Minute)
		if got := h.unreported(); len(got) != 0 {
			t.Errorf("unreported: got %q, want nothing", got)
		}
	})
}

// Such a manager first sends its table to all players, and counts every report that it gets.
func TestSlowAcknowledgementIsWaitedFor(t *testing.T) {
	for _, c := range []struct {
		name  string
		takes time.Duration
		table bool // it answers queries for its table
		want  int  // reports
	}{
		{"less than a minute", 40 * time.Second, false, 1},
		{"more, and the table has the match", 2 * time.Minute, true, 1},
		{"more, and no table", 90 * time.Second, false, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.abroad()
				h.set(func() {
					if c.table {
						h.countsDraws(nil)
					}
					counted, first := h.manager.reported, true
					h.manager.reported = func(m *protocol.MatchResultReport) (protocol.Message, error) {
						if counted != nil {
							h.set(func() { _, _ = counted(m) })
						}
						slow := false
						h.set(func() { slow, first = first, false })
						if slow {
							time.Sleep(c.takes)
						}
						return h.manager.counted(m), nil
					}
				})
				if _, err := h.start(order()); err != nil {
					t.Fatal(err)
				}
				pass(5 * time.Minute)
				if got := len(h.heardBy("LM", protocol.TypeMatchResultReport)); got != c.want {
					t.Errorf("%d reports, want %d", got, c.want)
				}
				if got := h.unreported(); len(got) != 0 {
					t.Errorf("unreported: got %q, want nothing", got)
				}
			})
		})
	}
}

func TestManagerWithoutReportsGetsNoMoreOfThem(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		reports := 0
		h.abroadMeddling(func(answer []byte) []byte {
			if bytes.Contains(answer, []byte("MATCH_RESULT_ACK")) {
				reports++
				return []byte(unknownMethod)
			}
			return answer
		})
		if _, err := h.start(order()); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		before := scripted(h, &reports)
		pass(5 * time.Minute)
		if after := scripted(h, &reports); before == 0 || after != before {
			t.Errorf("%d reports within a minute and %d later, want some and no more", before, after-before)
		}
		if got := h.unreported(); len(got) != 0 {
			t.Errorf("unreported: got %q, want nothing", got)
		}
	})
}

// Another program may answer where the manager will be, or the manager may not be ready.
func TestRefereeRegistersUntilTheFormIsTaken(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		refusals := 30 // more than there are forms
		h.abroadMeddling(func(answer []byte) []byte {
			if bytes.Contains(answer, []byte("REFEREE_REGISTER_RESPONSE")) && refusals > 0 {
				refusals--
				return []byte(`{"jsonrpc":"2.0","error":{"code":-32000,"message":"the league is being set up"},"id":1}`)
			}
			return answer
		})
		if scripted(h, &refusals) > 0 || !strings.Contains(h.logged(), "the league is being set up") {
			t.Errorf("%d refusals are left; the log is\n%s", refusals, h.logged())
		}
	})
}

// countsDraws makes the manager count a draw only if its winner is that word, and return its table on request.
func (h *harness) countsDraws(word *string) {
	table := []protocol.Standing{{PlayerID: "P01"}, {PlayerID: "P02"}}
	h.manager.reported = func(m *protocol.MatchResultReport) (protocol.Message, error) {
		for i := range table {
			table[i].Played++
			switch winner := m.Result.Winner; {
			case winner == word, winner != nil && word != nil && *winner == *word:
				table[i].Draws++
			case winner != nil && *winner == table[i].PlayerID:
				table[i].Wins++
			default:
				table[i].Losses++
			}
		}
		return h.manager.counted(m), nil
	}
	h.manager.node.Handle(protocol.TypeLeagueQuery,
		func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
			h.note(&h.heard, "LM", m)
			data, err := json.Marshal(map[string]any{"standings": table})
			return &protocol.LeagueQueryResponse{
				Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueQueryResponse}, Success: true,
				QueryType: protocol.QueryStandings, Data: data, Standings: table,
			}, err
		})
}

func TestDrawIsToldInTheWordThatTheManagerCounts(t *testing.T) {
	for _, c := range []struct {
		name string
		word *string
		want string
	}{
		{"null", nil, `[null null null null]`},
		{"a word", new("DRAW"), `[null "DRAW" "DRAW" "DRAW"]`},
		{"an empty text", new(""), `[null "DRAW" "" ""]`},
		{"no word that is known", new("tie!"), `[null "DRAW" "" null]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.abroad()
				h.set(func() { h.countsDraws(c.word) })
				for _, p := range h.players {
					p.answersWhatItIsAsked("even")
				}
				var got []string
				for round := 1; round <= 4; round++ {
					m := order()
					m.MatchID, m.RoundID = fmt.Sprintf("R%dM1", round), protocol.Round(round)
					h.play(m)
				}
				for _, e := range h.heardBy("LM", protocol.TypeMatchResultReport) {
					word, _ := json.Marshal(as[protocol.MatchResultReport](t, e).Result.Winner)
					got = append(got, string(word))
				}
				if fmt.Sprint(got) != c.want {
					t.Errorf("got %v, want %s", got, c.want)
				}
				if said := strings.Contains(h.logged(), "counted a draw as a loss"); said != (c.word != nil) {
					t.Errorf("the log tells of it: %v", said)
				}
			})
		})
	}
}

// A player of another manager's answers by a call, with the token that it has from that one.
func TestCallbackIsBelievedUnderAnyManager(t *testing.T) {
	for _, c := range []struct {
		name    string
		foreign bool
		lost    map[string]string
	}{
		{"a foreign one", true, nil},
		{"ours", false, map[string]string{"P01": "E001"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				if c.foreign {
					h.abroad()
				}
				p := h.players["P01"]
				back := func(m protocol.Message) {
					head := m.Head()
					head.AuthToken, head.ConversationID, head.LeagueID = "token-of-its-manager", "conv-of-its-own", "spring"
					go p.callBack(m)
				}
				p.invited = func(context.Context, *protocol.GameInvitation) (protocol.Message, error) {
					back(p.join(true))
					return p.nothing(), nil
				}
				p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
					back(p.parity(quoted("odd")))
					return p.nothing(), nil
				}
				m := order()
				m.PlayerA.Dialect, m.PlayerA.Token = "", ""
				h.play(m)
				h.checkForfeits(c.lost)
				pass(time.Minute)
			})
		})
	}
}

// unknownMethod is the answer of an agent that has no such method.
const unknownMethod = `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}`

// withoutPong has no ping answered, unless pings are.
func withoutPong(pings bool) func(answer []byte) []byte {
	return func(answer []byte) []byte {
		if !pings && bytes.Contains(answer, []byte("PONG")) {
			return []byte(unknownMethod)
		}
		return answer
	}
}

// In these leagues the manager never returns the addresses of its players.
func TestPlayerWithoutAnAddressIsTheOneThatShowsItsID(t *testing.T) {
	for _, c := range []struct {
		name    string
		sender  string // of the agent at the port of P01
		pings   bool   // it answers a ping
		plays   bool
		invites int // of P01
		logs    string
	}{
		{"by a ping", "player:P01", true, true, 1, "follows from its id"},
		{"by its answer to the invitation", "player:P01", false, true, 1, "follows from its id"},
		{"another, by a ping", "player:P07", true, false, 0, "shows the id P01"},
		{"another, by its answer to the invitation", "player:P07", false, false, 1, "shows the id P01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.abroadMeddling(withoutPong(c.pings))
				p := h.players["P01"]
				p.node.SetSender(c.sender)
				p.invited = func(context.Context, *protocol.GameInvitation) (protocol.Message, error) {
					ack := p.join(true)
					_, ack.PlayerID, _ = strings.Cut(c.sender, ":")
					return ack, nil
				}
				m := order()
				m.PlayerA.Endpoint, m.PlayerB.Endpoint = "", ""
				if status, err := h.start(m); status != protocol.Accepted || err != nil {
					t.Errorf("got %q, %v", status, err)
				}
				pass(time.Minute)
				if got := len(h.heardBy("P01", protocol.TypeGameInvitation)); got != c.invites {
					t.Errorf("P01 was invited %d times, want %d", got, c.invites)
				}
				if got := len(h.heardBy("LM", protocol.TypeMatchResultReport)); (got == 1) != c.plays {
					t.Errorf("%d reports, want one: %v", got, c.plays)
				}
				if !strings.Contains(h.logged(), c.logs) {
					t.Errorf("the log does not say %q:\n%s", c.logs, h.logged())
				}
			})
		})
	}
}

// P02 has come first, and was granted the id that goes with the other's port.
func TestSwappedPlayersWithoutAddressesPlayAsThemselves(t *testing.T) {
	for _, pings := range []bool{true, false} {
		withReferee(t, setting{}, func(h *harness) {
			h.abroadMeddling(withoutPong(pings))
			for at, id := range map[string]string{"P01": "P02", "P02": "P01"} {
				p := h.players[at]
				p.node.SetSender("player:" + id)
				p.invited = func(context.Context, *protocol.GameInvitation) (protocol.Message, error) {
					ack := p.join(true)
					ack.PlayerID = id
					return ack, nil
				}
			}
			m := order()
			m.PlayerA.Endpoint, m.PlayerB.Endpoint = "", ""
			if _, err := h.start(m); err != nil {
				t.Fatal(err)
			}
			pass(time.Minute)
			reports := h.heardBy("LM", protocol.TypeMatchResultReport)
			if len(reports) != 1 {
				t.Fatalf("pings %v: %d reports, want one", pings, len(reports))
			}
			got := as[protocol.MatchResultReport](t, reports[0]).Result.Details.Choices
			if string(got["P01"]) != `"odd"` || string(got["P02"]) != `"even"` { // the one at the port of P01 chooses even
				t.Errorf("pings %v: the choices are %s and %s, want those of the players who show the ids", pings, got["P01"], got["P02"])
			}
		})
	}
}

// The organizer sees a player's raw answer in the record and in the log; the opponent sees only that it was an error.
func TestForfeitSaysWhatThePlayerAnswered(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.meddle(func(url, _ string, answer []byte, err error) ([]byte, error) {
			if url == h.players["P01"].url {
				return []byte(`{"jsonrpc":"2.0","error":{"code":-32000,"message":"Auth failed"},"id":1}`), nil
			}
			return answer, err
		})
		h.play(order())
		rec, _ := h.record()
		if reason := rec.LastErrorDetail("P01"); !strings.Contains(reason, "Auth failed") {
			t.Errorf("the record says %q, want what the player said", reason)
		}
		const want = "P01 forfeited: the agent of P01 answered with the JSON-RPC error -32000 to handle_game_invitation"
		if reason := h.over("P02").GameResult.Reason; reason != want || rec.Result.Reason != want {
			t.Errorf("GAME_OVER says %q, want %q", reason, want)
		}
		if got := h.logged(); !strings.Contains(got, "Auth failed") {
			t.Error("the log does not tell what the player said")
		}
	})
}
