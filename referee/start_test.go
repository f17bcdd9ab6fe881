package referee_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/game/evenodd"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

// refusal is the name of the error that an agent answered with, or "".
func refusal(err error) string {
	var r *protocol.Refusal
	if errors.As(err, &r) {
		return r.Name
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestStartMatchIsTakenOnlyFromTheManager(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		m := h.manager
		for token, want := range map[string]string{
			"":                "AUTH_TOKEN_MISSING",
			"tok_manager_x":   "AUTH_TOKEN_INVALID",
			refereeToken:      "AUTH_TOKEN_INVALID",
			"tok_match_of_P1": "AUTH_TOKEN_INVALID",
			protocol.ManagerToken(refereeToken, "another_league", protocol.TypeStartMatch, 1): "AUTH_TOKEN_INVALID",
		} {
			_, err := m.node.Call(m.process.Context(), rpc.Peer{Endpoint: refereeURL, Token: token}, order())
			if got := refusal(err); got != want {
				t.Errorf("with token %q: got %q, want %s", token, got, want)
			}
		}
		if got := h.sentTo(""); len(got) != 0 {
			t.Errorf("the referee sent %d messages, want none", len(got))
		}
		if status, err := h.start(order()); status != protocol.Accepted || err != nil {
			t.Errorf("with the manager's token: got %q, %v, want ACCEPTED", status, err)
		}
		h.referee.Wait()
	})
}

func TestRefereeThatIsNotRegisteredTakesNothing(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p := h.boot("REF01", refereeURL)
		p.Serve(referee.New(p.Context(), "New One", catalog.Lookup, referee.Options{Options: rpc.Options{Network: p}}).Node)
		for _, m := range []protocol.Message{
			order(),
			&protocol.GetMatchRecords{
				Envelope: protocol.Envelope{MessageType: protocol.TypeGetMatchRecords}, Records: []protocol.RecordRef{},
			},
			&protocol.LeagueCompleted{Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueCompleted}},
		} {
			if _, err := h.manager.call(m); refusal(err) != "REFEREE_NOT_REGISTERED" {
				t.Errorf("%s: got %v, want REFEREE_NOT_REGISTERED", m.Head().MessageType, err)
			}
		}
	})
}

func TestOrdersThatCannotBePlayedAreRefusedByName(t *testing.T) {
	tests := []struct {
		name   string
		change func(m *protocol.StartMatch)
		want   string
		detail string
	}{
		{"unknown game", func(m *protocol.StartMatch) { m.GameType = "chess" }, "UNSUPPORTED_GAME_TYPE", "chess"},
		{"draw key that is no hex", func(m *protocol.StartMatch) {
			m.DrawKey = strings.Repeat("z", 64)
		}, "INVALID_MESSAGE", "draw_key: want 64 hexadecimal digits"},
		{"draw key that is too short", func(m *protocol.StartMatch) { m.DrawKey = "00ff" }, "INVALID_MESSAGE", "draw_key"},
		{"no draw key", func(m *protocol.StartMatch) { m.DrawKey = "" }, "INVALID_MESSAGE", "draw_key"},
		{"no player A", func(m *protocol.StartMatch) { m.PlayerA.ID = "" }, "MISSING_REQUIRED_FIELD", "player_A.id"},
		{"no way to player B", func(m *protocol.StartMatch) {
			m.PlayerB.Endpoint = ""
		}, "MISSING_REQUIRED_FIELD", "player_B.endpoint"},
		{"one player twice", func(m *protocol.StartMatch) {
			m.PlayerB.ID = "P01"
		}, "INVALID_MESSAGE", "P01 cannot play against itself"},
	}
	withReferee(t, setting{}, func(h *harness) {
		for _, tt := range tests {
			m := order()
			tt.change(m)
			_, err := h.start(m)
			if refusal(err) != tt.want || !strings.Contains(err.Error(), tt.detail) {
				t.Errorf("%s: got %v, want %s about %s", tt.name, err, tt.want, tt.detail)
			}
		}
		if got := h.sentTo(""); len(got) != 0 {
			t.Errorf("the referee sent %d messages, want none", len(got))
		}
	})
}

func TestRefereeIsBusyWhenItHasNoRoom(t *testing.T) {
	withReferee(t, setting{opts: referee.Options{MaxMatches: 1}}, func(h *harness) {
		for _, p := range h.players {
			p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
				pass(10 * time.Second)
				return p.parity(quoted("odd")), nil
			}
		}
		second := order()
		second.MatchID = "R1M2"
		for _, step := range []struct {
			m    *protocol.StartMatch
			want string
		}{{order(), protocol.Accepted}, {second, protocol.Busy}, {order(), protocol.Accepted}} {
			if status, err := h.start(step.m); status != step.want || err != nil {
				t.Errorf("%s: got %q, %v, want %s", step.m.MatchID, status, err, step.want)
			}
		}
		h.referee.Wait()
		h.checkTimes("P01", protocol.TypeGameInvitation, 0)
		if status, err := h.start(second); status != protocol.Accepted || err != nil {
			t.Errorf("when there is room again: got %q, %v, want ACCEPTED", status, err)
		}
		h.referee.Wait()
		if got := len(h.heardBy("LM", protocol.TypeMatchResultReport)); got != 2 {
			t.Errorf("got %d reports, want 2", got)
		}
	})
}

func TestSameAttemptAgainIsNotPlayedTwice(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p := h.players["P01"]
		p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
			pass(3 * time.Second)
			return p.parity(quoted("odd")), nil
		}
		for range 3 {
			if status, err := h.start(order()); status != protocol.Accepted || err != nil {
				t.Errorf("got %q, %v, want ACCEPTED", status, err)
			}
			pass(time.Second)
		}
		h.referee.Wait()
		h.checkTimes("P01", protocol.TypeGameInvitation, 0)
		h.checkTimes("P01", protocol.TypeGameOver, 3)
		h.report()
	})
}

func TestRecordedAttemptIsToldAgainAndNotPlayedAgain(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.play(order())
		first := h.report()
		pass(time.Minute)
		again := order()
		again.PlayerA.Token = "tok_match_newer" // P01 has registered again in the meantime
		h.play(again)
		h.checkTimes("P01", protocol.TypeGameInvitation, 0)
		h.checkTimes("P01", protocol.TypeGameOver, 0, 60)
		h.checkTimes("P02", protocol.TypeGameOver, 0, 60)
		h.checkTimes("LM", protocol.TypeMatchResultReport, 0, 60)
		if over := as[protocol.GameOver](t, h.heardBy("P01", protocol.TypeGameOver)[1]); over.AuthToken != "tok_match_newer" {
			t.Errorf("GAME_OVER shows %q, want the token of the newer order", over.AuthToken)
		}
		second := as[protocol.MatchResultReport](t, h.heardBy("LM", protocol.TypeMatchResultReport)[1])
		second.Timestamp, second.AuthToken = first.Timestamp, first.AuthToken // which covers the time
		if shown(second) != shown(first) {
			t.Errorf("the reports differ:\n%s\n%s", shown(first), shown(second))
		}
	})
}

func TestHigherAttemptReplacesOneThatIsPlayed(t *testing.T) {
	withReferee(t, setting{opts: referee.Options{MaxMatches: 1}}, func(h *harness) {
		// the new one takes the room of the old one
		for _, p := range h.players {
			n := 0
			p.asked = func(ctx context.Context, m *protocol.ChooseParityCall) (protocol.Message, error) {
				if n++; n == 1 {
					return never(ctx)
				}
				return p.parity(quoted("odd")), nil
			}
		}
		if _, err := h.start(order()); err != nil {
			t.Error(err)
		}
		pass(5 * time.Second)
		second := order()
		second.Attempt = 2
		if status, err := h.start(second); status != protocol.Accepted || err != nil {
			t.Errorf("attempt 2: got %q, %v, want ACCEPTED", status, err)
		}
		h.referee.Wait()
		h.checkTimes("P01", protocol.TypeGameInvitation, 0, 5)
		h.checkTimes("P01", protocol.TypeChooseParityCall, 0, 5)
		h.checkTimes("P01", protocol.TypeGameError)
		h.checkTimes("LM", protocol.TypeMatchResultReport, 5)
		if r := h.report(); r.Attempt != 2 {
			t.Errorf("reported attempt %d, want 2", r.Attempt)
		}
		c := as[protocol.ChooseParityCall](t, h.heardBy("P01", protocol.TypeChooseParityCall)[1])
		if c.Attempt != 2 || !strings.HasPrefix(c.ConversationID, "conv-r1m1-002-") {
			t.Errorf("attempt %d in %s, want 2 in conv-r1m1-002-…", c.Attempt, c.ConversationID)
		}
		if _, err := h.start(order()); refusal(err) != "OUT_OF_TURN" {
			t.Errorf("attempt 1 after attempt 2: got %v, want OUT_OF_TURN", err)
		}
	})
}

func TestLowerAttemptIsRefusedEvenIfItIsOnRecord(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.play(order())
		second := order()
		second.Attempt = 2
		h.play(second)
		h.reset()
		if _, err := h.start(order()); refusal(err) != "OUT_OF_TURN" {
			t.Errorf("got %v, want OUT_OF_TURN", err)
		}
		if got := h.sentTo(""); len(got) != 0 {
			t.Errorf("the referee sent %d messages, want none", len(got))
		}
	})
}

func TestMatchesOfTwoLeaguesAreNotMixedUp(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.play(order())
		other := order()
		other.LeagueID = "league_2026"
		h.play(other)
		var got []string
		for _, e := range h.heardBy("LM", protocol.TypeMatchResultReport) {
			got = append(got, as[protocol.MatchResultReport](t, e).LeagueID)
		}
		if want := []string{leagueID, "league_2026"}; !slices.Equal(got, want) {
			t.Errorf("reported for %q, want %q", got, want)
		}
	})
}

func TestForeignManagersOrderIsCompleted(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.manager.admitted = func(*protocol.RefereeRegisterRequest) (protocol.Message, error) {
			return h.manager.foreign(), nil
		}
		if err := h.bootReferee(); err != nil {
			t.Fatal(err)
		}
		m := order()
		m.LeagueID, m.DrawKey, m.ReportTo, m.Attempt = "", "", "", 0
		m.AuthToken = "whatever"
		h.play(m)
		r := h.report()
		if r.LeagueID != leagueID || r.Attempt != 1 || r.Fairness == nil || len(r.Fairness.Key) != 64 {
			t.Errorf("got %s, want league, attempt and a key of the referee's own", shown(r))
		}
		if err := referee.Verify(catalog.Lookup, &r, "P01", "P02"); err != nil {
			t.Errorf("verify: %v", err)
		}
	})
}

// A blind recorder cannot be read.
type blind struct{ referee.Memory }

func (*blind) Document(context.Context, protocol.RecordRef) ([]byte, error) {
	return nil, errors.New("input/output error")
}

func TestOrderIsNotTakenWhenTheRecordsCannotBeRead(t *testing.T) {
	withReferee(t, setting{recorder: &blind{}}, func(h *harness) {
		if _, err := h.start(order()); refusal(err) != "INTERNAL_ERROR" {
			t.Errorf("START_MATCH: got %v, want INTERNAL_ERROR: it may have been played", err)
		}
		_, err := h.manager.call(&protocol.GetMatchRecords{
			Envelope: protocol.Envelope{MessageType: protocol.TypeGetMatchRecords},
			Records:  []protocol.RecordRef{{MatchID: "R1M1"}},
		})
		if refusal(err) != "INTERNAL_ERROR" {
			t.Errorf("get_match_records: got %v, want INTERNAL_ERROR", err)
		}
		if !strings.Contains(h.logged(), "input/output error") {
			t.Error("the log does not say why")
		}
	})
}

func TestRefereesOwnFailureIsNoPlayersForfeit(t *testing.T) {
	o := referee.Options{Options: rpc.Options{MaxWaiting: 1}} // room for one answer, where two are asked
	withReferee(t, setting{opts: o}, func(h *harness) {
		h.play(order())
		if got := h.sentTo("", protocol.TypeGameError, protocol.TypeGameOver, protocol.TypeMatchResultReport); len(got) != 0 {
			t.Errorf("the referee sent %d messages about a result, want none", len(got))
		}
		if !strings.Contains(h.logged(), "the match was not finished") {
			t.Error("the log does not say that the match was not finished")
		}
		if status, err := h.start(order()); status != protocol.Accepted || err != nil { // not "being played"
			t.Errorf("again: got %q, %v, want ACCEPTED", status, err)
		}
		h.referee.Wait()
		if got := len(h.sentTo("P01", protocol.TypeGameInvitation)) +
			len(h.sentTo("P02", protocol.TypeGameInvitation)); got < 2 {
			t.Errorf("%d invitations after two orders, want the match begun twice", got)
		}
	})
}

// broken rules fail where the referee does not expect it.
type broken struct {
	evenodd.Game
	start, apply error
}

type brokenState struct {
	game.State
	apply error
}

func (b broken) Start(seats int, rng *rand.Rand) (game.State, error) {
	s, err := b.Game.Start(seats, rng)
	return brokenState{s, b.apply}, errors.Join(b.start, err)
}

func (s brokenState) Check(game.Seat, game.Move) error { return nil }

func (s brokenState) Apply(map[game.Seat]game.Move) error { return s.apply }

func TestRulesThatFailGiveNoResult(t *testing.T) {
	rules := broken{start: errors.New("no table is free")}
	withReferee(t, setting{games: func(string) (game.Game, error) { return rules, nil }}, func(h *harness) {
		if _, err := h.start(order()); refusal(err) != "INVALID_MESSAGE" || !strings.Contains(err.Error(),
			"no table is free") {
			t.Errorf("rules that do not start: got %v, want INVALID_MESSAGE", err)
		}
		rules = broken{apply: errors.New("the dice are lost")}
		h.play(order())
		if got := h.sentTo("", protocol.TypeGameOver, protocol.TypeMatchResultReport); len(got) != 0 {
			t.Errorf("rules that fail: %d messages about a result, want none", len(got))
		}
		if !strings.Contains(h.logged(), "match R1M1: apply: the dice are lost") {
			t.Error("the log does not say why")
		}
	})
}

func TestAttemptThatCannotBeRecordedGivesWayToTheNext(t *testing.T) {
	d := &diary{fails: 3}
	withReferee(t, setting{recorder: d}, func(h *harness) {
		d.h = h
		if _, err := h.start(order()); err != nil { // fails to be recorded at 0 and 2
			t.Error(err)
		}
		pass(3 * time.Second)
		second := order()
		second.Attempt = 2
		h.play(second) // fails at 3, is recorded at 5
		h.checkTimes("disk", "RECORD", 0, 2, 3, 5)
		h.checkTimes("LM", protocol.TypeMatchResultReport, 5)
		if r := h.report(); r.Attempt != 2 {
			t.Errorf("reported attempt %d, want 2", r.Attempt)
		}
	})
}

func TestRefereeThatIsStoppedStopsItsMatchesAndReports(t *testing.T) {
	for name, script := range map[string]func(h *harness){
		"in a match": func(h *harness) { muteChoice(h.players["P01"]) },
		"in a pause": func(h *harness) { lying(h.players["P01"]) },
		"in GAME_ERROR": func(h *harness) {
			lying(h.players["P02"])
			h.players["P02"].wrong = func(ctx context.Context, _ *protocol.GameError) (protocol.Message, error) {
				return never(ctx)
			}
		},
		"in GAME_OVER": func(h *harness) {
			h.players["P02"].over = func(ctx context.Context, _ *protocol.GameOver) (protocol.Message, error) {
				return never(ctx)
			}
		},
		"in a report": func(h *harness) {
			h.manager.reported = func(*protocol.MatchResultReport) (protocol.Message, error) {
				return never(h.manager.process.Context())
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				script(h)
				ctx, stop := context.WithCancel(context.Background())
				p := h.boot("REF01", refereeURL)
				r := referee.New(ctx, "Referee One", catalog.Lookup, referee.Options{Options: rpc.Options{Network: p}, ID: "REF01"})
				p.Serve(r.Node)
				if err := r.Register(ctx, managerURL, refereeURL); err != nil {
					t.Fatal(err)
				}
				if _, err := h.start(order()); err != nil {
					t.Error(err)
				}
				pass(3 * time.Second)
				stop()
				stopped := time.Now()
				r.Wait()
				if took := time.Since(stopped); took != 0 {
					t.Errorf("it stopped %v after it was told to", took)
				}
			})
		})
	}
}
