package referee_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// listForEver makes the manager one that hands out the same matches whenever it is asked.
func (h *harness) listForEver(orders ...*protocol.StartMatch) (asked *int) {
	asked = new(int)
	h.manager.node.Handle(protocol.TypeAssignedMatches,
		func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
			*asked++
			list := &protocol.Assignments{Envelope: protocol.Envelope{MessageType: protocol.TypeAssignments}}
			for _, m := range orders {
				m.Protocol, m.Sender, m.Timestamp = protocol.Version, "league_manager", "2000-01-01T00:00:00Z"
				wide, err := rpc.Wide(m)
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
		pass(5 * time.Minute)
		if err := h.bootReferee(); err != nil { // what an earlier run has reported stays reported
			t.Errorf("register: %v", err)
		}
		pass(5 * time.Minute)
		if *asked < 100 {
			t.Errorf("the manager was asked for matches %d times, want again and again", *asked)
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
				if failing {
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

// countsDraws makes the manager one that counts a draw only if its winner is the word, and tells its table when asked.
func (h *harness) countsDraws(word *string, told func(table []protocol.Standing, ack protocol.Message) protocol.Message) {
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
		return told(table, h.manager.counted(m)), nil
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
	silent := func(_ []protocol.Standing, ack protocol.Message) protocol.Message { return ack }
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
				h.set(func() { h.countsDraws(c.word, silent) })
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

func TestAddressOfAPlayerIsNeverGuessed(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.abroad()
		m := order()
		m.PlayerA.Endpoint, m.PlayerB.Endpoint = "", ""
		if status, err := h.start(m); status != protocol.Accepted || err != nil {
			t.Errorf("got %q, %v", status, err)
		}
		pass(time.Minute)
		if got := append(h.heardBy("P01"), h.heardBy("P02")...); len(got) != 0 {
			t.Errorf("whoever is at the ports that go with the ids heard %d messages, want none", len(got))
		}
		if !strings.Contains(h.logged(), "the manager does not say where P01 is") {
			t.Error("the log does not say what is missing")
		}
	})
}

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
		if reason := rec.Result.Reason; !strings.Contains(reason, "Auth failed") {
			t.Errorf("the record says %q, want what the player said", reason)
		}
		if reason := h.over("P02").GameResult.Reason; !strings.Contains(reason, "Auth failed") {
			t.Errorf("GAME_OVER says %q, want what the player said", reason)
		}
		if got := h.logged(); !strings.Contains(got, "Auth failed") {
			t.Error("the log does not tell what the player said")
		}
	})
}
