package player_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
)

// asked is a strategy that always plays even and counts how often it is called.
func asked(n *atomic.Int32) player.Strategy {
	return player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) {
		n.Add(1)
		return v.Options[0], nil
	})
}

func TestPlayerKnowsItsReferee(t *testing.T) {
	var n atomic.Int32
	atTable(t, asked(&n), player.Options{}, true, func(w *table) {
		refused(t, w.invite("R1M1", 1, "tok_forged"), protocol.AuthTokenInvalid)
		refused(t, w.invite("R1M1", 1, ""), protocol.AuthTokenMissing)
		refused(t, w.invite("R1M1", 2, w.matchToken("R1M1", 1)), protocol.AuthTokenInvalid)
		if err := w.invite("R1M1", 1, w.matchToken("R1M1", 1)); err != nil {
			t.Fatal(err)
		}
		_, err := w.choose("R1M1", 1, "tok_forged")
		refused(t, err, protocol.AuthTokenInvalid)
		refused(t, w.over("R1M1", 1, "tok_forged", protocol.Loss, 7), protocol.AuthTokenInvalid)
		if n.Load() != 0 || len(w.agent.History()) != 0 {
			t.Errorf("a stranger made the player choose %d times and remember %v", n.Load(), w.agent.History())
		}
	})
}

func TestAnnouncedForeignRefereeIsBoundByItsFirstInvitation(t *testing.T) {
	var n atomic.Int32
	atTable(t, asked(&n), player.Options{}, true, func(w *table) {
		_, err := w.from(w.manager, &protocol.RoundAnnouncement{
			Envelope: protocol.Envelope{
				MessageType: protocol.TypeRoundAnnouncement,
				AuthToken:   protocol.ManagerToken(w.token, "L", protocol.TypeRoundAnnouncement, 1), RoundID: 1,
			},
			Matches: []protocol.AnnouncedMatch{{MatchID: "R1M1", PlayerAID: "P01", PlayerBID: "P02", Native: false}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.invite("R1M1", 1, "tok_theirs"); err != nil {
			t.Errorf("the announced referee is refused: %v", err)
		}
	})
}

func TestRepeatedCallGetsTheSameChoice(t *testing.T) {
	var n atomic.Int32
	flip := player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) {
		return v.Options[int(n.Add(1))%2], nil
	})
	atTable(t, flip, player.Options{}, true, func(w *table) {
		m := w.matchToken("R1M1", 1)
		if err := w.invite("R1M1", 1, m); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if got, err := w.choose("R1M1", 1, m); err != nil || got != `"odd"` {
				t.Errorf("choose = %s, %v; want odd each time", got, err)
			}
		}
		if n.Load() != 1 {
			t.Errorf("the strategy was asked %d times, want once", n.Load())
		}
	})
}

func TestFailedStrategyIsAskedAgain(t *testing.T) {
	var n atomic.Int32
	second := player.StrategyFunc(func(_ context.Context, v game.View) (game.Move, error) {
		if n.Add(1) == 1 {
			return nil, errors.New("no idea yet")
		}
		return v.Options[1], nil
	})
	atTable(t, second, player.Options{}, true, func(w *table) {
		m := w.matchToken("R1M1", 1)
		if err := w.invite("R1M1", 1, m); err != nil {
			t.Fatal(err)
		}
		_, err := w.choose("R1M1", 1, m)
		refused(t, err, protocol.Internal)
		if got, err := w.choose("R1M1", 1, m); err != nil || got != `"odd"` {
			t.Errorf("choose = %s, %v; want odd", got, err)
		}
	})
}

func TestNewestAttemptIsRemembered(t *testing.T) {
	var stored []protocol.PlayerMatch
	o := player.Options{Remember: func(_ string, h player.Past) error { stored = h.Matches; return nil }}
	atTable(t, player.Alternate(), o, true, func(w *table) {
		for _, attempt := range []int{2, 1} {
			if err := w.invite("R1M1", attempt, w.matchToken("R1M1", attempt)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.over("R1M1", 2, w.matchToken("R1M1", 2), protocol.Win, 8); err != nil {
			t.Fatal(err)
		}
		if err := w.over("R1M1", 1, w.matchToken("R1M1", 1), protocol.Loss, 7); err != nil {
			t.Fatal(err)
		}
		if err := w.over("R1M1", 2, w.matchToken("R1M1", 2), protocol.Win, 8); err != nil {
			t.Errorf("the same result again: %v", err)
		}
		if len(stored) != 1 || stored[0].Result != protocol.Win || stored[0].Attempt != 2 || *stored[0].DrawnNumber.Value != 8 {
			t.Errorf("remembered %+v, want the win of attempt 2", stored)
		}
	})
}

func TestManagerCanTellTheEndOfAnUnplayedMatch(t *testing.T) {
	atTable(t, player.Alternate(), player.Options{}, true, func(w *table) {
		if err := w.over("R3M1", 1, protocol.ManagerToken(w.token, "L", protocol.TypeGameOver, 1), protocol.Win,
			1); err != nil {
			t.Fatal(err)
		}
		refused(t, w.over("R3M2", 1, "tok_forged", protocol.Win, 1), protocol.MatchNotFound)
		if h := w.agent.History(); len(h) != 1 || h[0].MatchID != "R3M1" {
			t.Errorf("history = %+v, want R3M1", h)
		}
	})
}

func TestFlatAndNestedResultsAreUnderstood(t *testing.T) {
	me, other := "P01", "P02"
	tests := []struct {
		name string
		over protocol.GameOver
		want string
	}{
		{"flat", protocol.GameOver{Result: protocol.Draw}, protocol.Draw},
		{"nested win", protocol.GameOver{GameResult: protocol.GameResult{Status: protocol.Win, WinnerPlayerID: &me}},
			protocol.Win},
		{"nested loss", protocol.GameOver{GameResult: protocol.GameResult{Status: protocol.Win, WinnerPlayerID: &other}},
			protocol.Loss},
		{"nested draw", protocol.GameOver{GameResult: protocol.GameResult{Status: protocol.Draw}}, protocol.Draw},
		{"both forfeited", protocol.GameOver{GameResult: protocol.GameResult{Status: protocol.TechnicalLoss}},
			protocol.TechnicalLoss},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			atTable(t, player.Alternate(), player.Options{}, false, func(w *table) {
				if err := w.invite("R1M1", 1, "x"); err != nil {
					t.Fatal(err)
				}
				over := tt.over
				over.Envelope = protocol.Envelope{MessageType: protocol.TypeGameOver, MatchID: "R1M1", AuthToken: "x"}
				if _, err := w.from(w.referee, &over); err != nil {
					t.Fatal(err)
				}
				if h := w.agent.History(); len(h) != 1 || h[0].Result != tt.want || h[0].OpponentID != "P02" {
					t.Errorf("history = %+v, want %s against P02", h, tt.want)
				}
			})
		})
	}
}

func TestLeagueCompletedEndsThePlayer(t *testing.T) {
	atTable(t, player.Alternate(), player.Options{}, true, func(w *table) {
		done := &protocol.LeagueCompleted{
			Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueCompleted, AuthToken: "tok_forged"},
		}
		_, err := w.from(w.manager, done)
		refused(t, err, protocol.AuthTokenInvalid)
		select {
		case <-w.agent.Done():
			t.Error("a stranger ended the league")
		default:
		}
		done.AuthToken = protocol.ManagerToken(w.token, "L", protocol.TypeLeagueCompleted, 0)
		for range 2 {
			if _, err := w.from(w.manager, done); err != nil {
				t.Fatal(err)
			}
		}
		<-w.agent.Done()
	})
}

// Any client can call a player that has not registered yet. Its LEAGUE_COMPLETED must not end the player.
func TestLeagueCompletedBeforeTheRegistrationIsRefused(t *testing.T) {
	layTable(t, player.Alternate(), player.Options{}, func(*table) {}, func(w *table, ctx context.Context) {
		done := &protocol.LeagueCompleted{Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueCompleted, AuthToken: "any"}}
		_, err := w.from(w.unknownCaller, done)
		refused(t, err, protocol.PlayerNotRegistered)
		if err := w.agent.Register(ctx, office, home); err != nil {
			t.Fatal(err)
		}
		if _, err := w.from(w.manager, done); err != nil { // a third-party manager has no token
			t.Fatal(err)
		}
		<-w.agent.Done()
	})
}

// A manager that was restarted repeats the end of the season before while the player registers for the next one.
func TestEndOfTheSeasonBeforeDoesNotEndThePlayer(t *testing.T) {
	layTable(t, player.Alternate(), player.Options{LeagueID: "L_2"}, func(*table) {}, func(w *table, _ context.Context) {
		if _, err := w.tell(protocol.TypeLeagueCompleted, 0, &protocol.LeagueCompleted{NextLeagueID: "L_2"}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-w.agent.Done():
			t.Error("the end of L ended a player of L_2")
		default:
		}
	})
}

func TestPlayerLingersOnlyUnderAThirdPartyManager(t *testing.T) {
	for ours, want := range map[bool]time.Duration{true: 0, false: time.Minute} {
		atTable(t, player.Alternate(), player.Options{}, ours, func(w *table) {
			over, left := time.Now(), make(chan time.Duration)
			w.agent.AfterDone(func() { left <- time.Since(over) })
			done := &protocol.LeagueCompleted{Envelope: protocol.Envelope{
				MessageType: protocol.TypeLeagueCompleted,
				AuthToken:   protocol.ManagerToken(w.token, "L", protocol.TypeLeagueCompleted, 0),
			}}
			if _, err := w.from(w.manager, done); err != nil {
				t.Fatal(err)
			}
			if got := <-left; got.Round(time.Second) != want {
				t.Errorf("manager of ours %v: it leaves after %v, want %v", ours, got, want)
			}
		})
	}
}

func TestLeagueCompletedIsAcknowledgedAgain(t *testing.T) {
	var n atomic.Int32
	atTable(t, asked(&n), player.Options{}, true, func(w *table) {
		say := func(m protocol.Message, typ protocol.Type) {
			h := m.Head()
			h.MessageType, h.AuthToken, h.RoundID = typ, protocol.ManagerToken(w.token, "L", typ, 1), 1
			if _, err := w.from(w.manager, m); err != nil {
				t.Errorf("%s: %v", typ, err)
			}
		}
		say(&protocol.LeagueCompleted{}, protocol.TypeLeagueCompleted)
		say(&protocol.RoundAnnouncement{Matches: []protocol.AnnouncedMatch{}}, protocol.TypeRoundAnnouncement) // late
		say(&protocol.LeagueCompleted{}, protocol.TypeLeagueCompleted)
		<-w.agent.Done()
	})
}

func TestKnownResultEndsAMatchToo(t *testing.T) {
	var n atomic.Int32
	atTable(t, asked(&n), player.Options{}, true, func(w *table) {
		token := w.matchToken("R1M1", 1)
		for range 2 {
			if err := w.invite("R1M1", 1, token); err != nil {
				t.Fatal(err)
			}
			if err := w.over("R1M1", 1, token, protocol.Loss, 7); err != nil {
				t.Fatal(err)
			}
			_, err := w.choose("R1M1", 1, token)
			refused(t, err, protocol.MatchNotFound)
		}
	})
}

func TestPlayerHasAnIDBeforeItRegisters(t *testing.T) {
	a := player.New("Agent Alpha", player.Random(nil), player.Options{})
	body := `{"jsonrpc":"2.0","method":"notify_match_result","params":{"match_id":"R1M1","game_result":{}},"id":1}`
	invitation := `{"jsonrpc":"2.0","method":"handle_game_invitation","params":{"match_id":"R1M1"},"id":1}`
	for _, b := range []string{invitation, body} {
		if got := string(a.Node.Answer(t.Context(), rpc.From{}, []byte(b))); !strings.Contains(got,
			`"player_id":"agent-alpha"`) {
			t.Errorf("want player_id agent-alpha, as in sender, got %s", got)
		}
	}
}

func TestPlayerRegistersUntilTheManagerIsThere(t *testing.T) {
	atTable(t, player.Alternate(), player.Options{ID: "P01"}, true, func(w *table) {
		if got := w.agent.ID(); got != "P01" {
			t.Errorf("id = %q, want P01", got)
		}
	})
	synctestLate(t)
}

func TestOccupiedPortIsAnError(t *testing.T) {
	a := player.New("A", player.Alternate(), player.Options{})
	if err := a.Run(t.Context(), 1<<20, "http://localhost:1/mcp"); err == nil || !strings.Contains(err.Error(), "port") {
		t.Errorf("Run on a port that cannot be had = %v, want an error that names it", err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	a := player.New("A", player.Alternate(), player.Options{})
	if err := a.Run(ctx, 0, "http://127.0.0.1:1/mcp"); err == nil {
		t.Error("Run without a manager ended without an error")
	}
}

// A LEAGUE_ERROR that the manager sends is acknowledged, and logged as a sentence: no manager's way to put it is refused.
func TestLeagueErrorIsHeardAndAcknowledged(t *testing.T) {
	for _, ours := range []bool{true, false} {
		var log lockedBuffer
		var heard []string
		o := player.Options{Options: rpc.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}}
		atTable(t, listener{player.Alternate(), func(m protocol.Message) {
			if e, ok := m.(*protocol.LeagueError); ok {
				heard = append(heard, e.Sentence())
			}
		}}, o, ours, func(w *table) {
			e := &protocol.LeagueError{
				Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueError,
					AuthToken: protocol.ManagerToken(w.token, "L", protocol.TypeLeagueError, 0)},
				ErrorCode: "E012", ErrorDescription: "AUTH_TOKEN_INVALID", Detail: "unknown token for player:P01",
				OriginalMessageType: protocol.TypeLeagueQuery,
			}
			answer, err := w.from(w.manager, e)
			if err != nil || answer.Head().MessageType != protocol.TypeLeagueErrorAck {
				t.Fatalf("got %v and %v, want LEAGUE_ERROR_ACK", answer, err)
			}
			if got := log.String(); !strings.Contains(got, "the manager reports: unknown token for player:P01") {
				t.Errorf("the log lacks the sentence: %s", got)
			}
			if len(heard) != 1 || heard[0] != "unknown token for player:P01" {
				t.Errorf("heard %q", heard)
			}
			e.AuthToken = "tok_forged"
			if _, err := w.from(w.manager, e); ours {
				refused(t, err, protocol.AuthTokenInvalid)
			}
		})
	}
}

// The log entry of a GAME_ERROR has the description and the suggestion.
func TestGameErrorIsLoggedWithItsSuggestion(t *testing.T) {
	var log lockedBuffer
	o := player.Options{Options: rpc.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}}
	atTable(t, player.Alternate(), o, false, func(w *table) {
		_, err := w.from(w.referee, &protocol.GameError{
			Envelope: protocol.Envelope{MessageType: protocol.TypeGameError, MatchID: "R1M1"}, ErrorCode: "E009",
			Detail: "your agent answered HTTP 500 to choose_parity", Suggestion: "Look at the agent's own output",
		})
		const want = "the referee of R1M1 reports: your agent answered HTTP 500 to choose_parity. What to do: Look at the agent's own output"
		if got := log.String(); err != nil || !strings.Contains(got, want) {
			t.Errorf("the log lacks the sentence (%v): %s", err, got)
		}
	})
}

// A listener is a strategy that receives the messages to its player.
type listener struct {
	player.Strategy
	hear func(protocol.Message)
}

func (l listener) Hear(m protocol.Message) { l.hear(m) }

// A lockedBuffer is a log.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
