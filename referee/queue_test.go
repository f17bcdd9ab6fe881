package referee_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// abroad registers the referee with a manager of another make.
func (h *harness) abroad() {
	h.t.Helper()
	h.set(func() {
		h.manager.admitted = func(*protocol.RefereeRegisterRequest) (protocol.Message, error) {
			return h.manager.foreign(), nil
		}
	})
	if err := h.bootReferee(); err != nil {
		h.t.Fatal(err)
	}
	h.reset()
}

// announcement of R1M1 to a referee.
func announcement(referee, endpoint string) *protocol.RoundAnnouncement {
	return &protocol.RoundAnnouncement{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeRoundAnnouncement, LeagueID: leagueID, RoundID: 1, AuthToken: "whatever",
		},
		Matches: []protocol.AnnouncedMatch{{
			MatchID: "R1M1", GameType: "even_odd", PlayerAID: "P01", PlayerBID: "P02", RefereeID: referee,
			RefereeEndpoint: endpoint,
			PlayerAEndpoint: "http://localhost:8101/mcp", PlayerBEndpoint: "http://localhost:8102/mcp",
		}},
	}
}

func TestReportTellsTheDialectsOfForeignPlayers(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		m := order()
		m.PlayerA.Dialect = "" // nothing is known of it; the other is ours
		h.play(m)
		got := h.report().Dialects
		if len(got) != 1 || !strings.Contains(got["P01"], "GAME_INVITATION=call:handle_game_invitation") ||
			!strings.Contains(got["P01"], "GAME_OVER=call:notify_match_result") {
			t.Errorf("got %q, want P01's alone", got)
		}
	})
}

func TestReportIsSilentAboutWhatWasKnown(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.play(order())
		if got := h.report().Dialects; len(got) != 0 {
			t.Errorf("got %q, want nothing", got)
		}
	})
}

func TestMatchAnnouncedByAForeignManagerIsPlayed(t *testing.T) {
	for _, c := range []struct {
		name, referee, endpoint string
		want                    int
	}{
		{"by id", "REF01", "", 1},
		{"by endpoint", "somebody", refereeURL, 1},
		{"to whom it may concern", "", "", 1},
		{"to another", "REF02", "", 0},
		{"to another endpoint", "REF02", "http://localhost:8002/mcp", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				h.abroad()
				for range 2 { // a repeated announcement is no new match
					if _, err := h.manager.call(announcement(c.referee, c.endpoint)); err != nil {
						t.Errorf("announcement: %v", err)
					}
				}
				pass(time.Minute)
				reports := h.heardBy("LM", protocol.TypeMatchResultReport)
				if invited := h.heardBy("P01", protocol.TypeGameInvitation); len(reports) != c.want || len(invited) != c.want {
					t.Errorf("%d reports and %d invitations, want %d", len(reports), len(invited), c.want)
				}
			})
		})
	}
}

func TestAnnouncementOfOurOwnManagerStartsNothing(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		news := announcement("REF01", refereeURL)
		news.AuthToken = ""
		if _, err := h.manager.call(news); err != nil {
			t.Errorf("announcement: %v", err)
		}
		pass(time.Minute)
		if got := h.heardBy("P01"); len(got) != 0 {
			t.Errorf("P01 heard %d messages, want none: the order comes besides", len(got))
		}
	})
}

// A manager that hands out matches may have none for a while, or fail once.
func TestRefereeGoesOnFetching(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		asked := 0
		h.manager.node.Handle(protocol.TypeAssignedMatches,
			func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
				h.set(func() { asked++ })
				if got := m.(*protocol.GetAssignedMatches).RefereeID; got != "REF01" {
					t.Errorf("asked for the matches of %q", got)
				}
				list := &protocol.Assignments{Envelope: protocol.Envelope{MessageType: protocol.TypeAssignments}}
				switch scripted(h, &asked) {
				case 1: // null
				case 2:
					return nil, protocol.Errorf(protocol.InvalidMessage, "not now")
				default:
					m := order()
					m.Protocol, m.Sender, m.Timestamp = protocol.Version, "league_manager", "2000-01-01T00:00:00Z"
					wide, err := rpc.Wide(m)
					list.Matches = []json.RawMessage{wide}
					return list, err
				}
				return list, nil
			})
		h.abroad()
		pass(time.Minute)
		if invited := h.heardBy("P01", protocol.TypeGameInvitation); len(invited) != 1 || scripted(h, &asked) < 4 {
			t.Errorf("asked %d times, %d invitations, want many and one", scripted(h, &asked), len(invited))
		}
	})
}

func TestRefereeFetchesItsMatchesFromAForeignManager(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		asked := 0
		h.manager.node.Handle(protocol.TypeAssignedMatches,
			func(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
				h.set(func() { asked++ })
				m := order()
				m.Protocol, m.Sender, m.Timestamp = protocol.Version, "league_manager", "2000-01-01T00:00:00Z"
				wide, err := rpc.Wide(m)
				return &protocol.Assignments{
					Envelope: protocol.Envelope{MessageType: protocol.TypeAssignments}, Matches: []json.RawMessage{
						wide, []byte(`{"match_id":7}`),
					},
				}, err
			})
		h.abroad()
		pass(time.Minute)
		if n := scripted(h, &asked); n < 2 {
			t.Errorf("asked %d times, want again and again", n)
		}
		reports, invited := h.heardBy("LM", protocol.TypeMatchResultReport), h.heardBy("P01", protocol.TypeGameInvitation)
		if len(reports) != 1 || len(invited) != 1 {
			t.Errorf("%d reports and %d invitations, want one of each", len(reports), len(invited))
		}
		if !strings.Contains(h.logged(), "a match cannot be read") {
			t.Error("the log does not tell of the order that cannot be read")
		}
	})
}
