package referee_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc/rpctest"
)

// unheard makes a player leave every question unanswered.
func unheard(p *fakePlayer) {
	p.invited = func(ctx context.Context, _ *protocol.GameInvitation) (protocol.Message, error) { return never(ctx) }
	muteChoice(p)
}

func muteChoice(p *fakePlayer) {
	p.asked = func(ctx context.Context, _ *protocol.ChooseParityCall) (protocol.Message, error) { return never(ctx) }
}

func seconds(s ...float64) (out []time.Duration) {
	for _, x := range s {
		out = append(out, time.Duration(x*float64(time.Second)))
	}
	return out
}

// checkTimes compares when messages of a type went out to a player.
func (h *harness) checkTimes(player string, typ protocol.Type, want ...float64) {
	h.t.Helper()
	if got := offsets(h.sentTo(player, typ)); !slices.Equal(got, seconds(want...)) {
		h.t.Errorf("%s to %s at %v, want %v", typ, player, got, seconds(want...))
	}
}

// checkForfeits compares the forfeits and their codes in the report.
func (h *harness) checkForfeits(want map[string]string) {
	h.t.Helper()
	if got := h.report().Result.Details.Forfeits; fmt.Sprint(got) != fmt.Sprint(want) {
		h.t.Errorf("forfeits: got %v, want %v", got, want)
	}
}

func TestSuspendedPlayerHasOneTryPerStage(t *testing.T) {
	for name, tt := range map[string]struct {
		script func(*fakePlayer)
		joins  bool
		end    float64
	}{
		"at the invitation": {unheard, false, 5},
		"at the choice":     {muteChoice, true, 30},
	} {
		t.Run(name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				tt.script(h.players["P02"])
				m := order()
				m.PlayerB.State = protocol.AgentSuspended
				h.play(m)
				h.checkTimes("P02", protocol.TypeGameInvitation, 0)
				h.checkTimes("P02", protocol.TypeGameError, tt.end)
				h.checkTimes("P02", protocol.TypeGameOver, tt.end)
				h.checkForfeits(map[string]string{"P02": "E001"})
				e := as[protocol.GameError](t, h.sentTo("P02", protocol.TypeGameError)[0])
				if e.RetryCount != 0 || e.MaxRetries != 0 || e.Retryable || e.Consequence != protocol.TechnicalLoss ||
					e.RetryInfo.NextRetryAt != nil {
					t.Errorf("GAME_ERROR: got %s, want no retry to be left", shown(e))
				}
			})
		})
	}
}

func TestSuspendedPlayerThatAnswersPlays(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		m := order()
		m.PlayerB.State = protocol.AgentSuspended
		h.play(m)
		h.checkForfeits(nil)
	})
}

func TestPausesGrowExponentiallyUpToTheirBound(t *testing.T) {
	tests := []struct {
		policy referee.Policy
		calls  []float64
	}{
		{referee.Policy{Backoff: "exponential"}, []float64{0, 32, 66, 104}},
		{referee.Policy{Backoff: "exponential", MaxDelay: 3 * time.Second}, []float64{0, 32, 65, 98}},
		{referee.Policy{Backoff: "exponential", Delay: 5 * time.Second, MaxDelay: 2 * time.Second}, []float64{0, 32, 64, 96}},
		{referee.Policy{Delay: time.Second, MoveTimeout: 3 * time.Second, MaxRetries: 1}, []float64{0, 4}},
		{referee.Policy{MaxRetries: -1}, []float64{0}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.policy), func(t *testing.T) {
			withReferee(t, setting{opts: referee.Options{Policy: tt.policy}}, func(h *harness) {
				muteChoice(h.players["P01"])
				h.play(order())
				h.checkTimes("P01", protocol.TypeChooseParityCall, tt.calls...)
				for i, e := range h.sentTo("P01", protocol.TypeGameError)[:len(tt.calls)-1] {
					want := protocol.StampUp(h.zero.Add(seconds(tt.calls[i+1])[0]))
					if got := as[protocol.GameError](t, e).RetryInfo.NextRetryAt; got == nil || *got != want {
						t.Errorf("GAME_ERROR %d announces the next try at %v, want %s", i, got, want)
					}
				}
			})
		})
	}
}

func TestAtTheBoundOfAMatchWhoeverOwesAnAnswerForfeits(t *testing.T) {
	never := func(ctx context.Context, _ *protocol.ChooseParityCall) (protocol.Message, error) { return never(ctx) }
	tests := []struct {
		name     string
		limit    time.Duration
		a, b     bool // whether it answers
		calls    []float64
		errors   []float64
		forfeits map[string]string
	}{
		{"one in its call", 40 * time.Second, true, false, []float64{0, 32}, []float64{30, 40},
			map[string]string{"P02": "E001"}},
		{"both in their calls", 40 * time.Second, false, false, []float64{0, 32}, []float64{30, 40},
			map[string]string{"P01": "E001", "P02": "E001"}},
		{"both in their pauses", 31 * time.Second, false, false, []float64{0}, []float64{30},
			map[string]string{"P01": "E001", "P02": "E001"}},
		{"both at their deadlines", 30 * time.Second, false, false, []float64{0}, []float64{30},
			map[string]string{"P01": "E001", "P02": "E001"}},
		{"nobody", 40 * time.Second, true, true, []float64{0}, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withReferee(t, setting{opts: referee.Options{Policy: referee.Policy{MatchLimit: tt.limit}}}, func(h *harness) {
				for id, answers := range map[string]bool{"P01": tt.a, "P02": tt.b} {
					if !answers {
						h.players[id].asked = never
					}
				}
				h.play(order())
				h.checkForfeits(tt.forfeits)
				h.checkTimes("P02", protocol.TypeChooseParityCall, tt.calls...)
				h.checkTimes("P02", protocol.TypeGameError, tt.errors...)
				if len(tt.forfeits) > 0 {
					h.checkTimes("P02", protocol.TypeGameOver, tt.limit.Seconds())
				}
				for _, e := range h.sentTo("P02", protocol.TypeChooseParityCall) {
					c := as[protocol.ChooseParityCall](t, e)
					if want := protocol.StampUp(h.zero.Add(min(e.at+30*time.Second, tt.limit))); c.Deadline != want {
						t.Errorf("at %v the deadline is %s, want %s: no later than it is kept", e.at, c.Deadline, want)
					}
				}
			})
		})
	}
}

func TestBoundInAPauseBeforeTheLastTryOrAnInvitationIsBothPlayers(t *testing.T) {
	for _, tt := range []struct {
		script func(*fakePlayer)
		limit  time.Duration
	}{{unheard, 6 * time.Second}, {muteChoice, 95 * time.Second}} {
		withReferee(t, setting{opts: referee.Options{Policy: referee.Policy{MatchLimit: tt.limit}}}, func(h *harness) {
			for _, p := range h.players {
				tt.script(p)
			}
			h.play(order())
			h.checkForfeits(map[string]string{"P01": "E001", "P02": "E001"})
			h.checkTimes("P01", protocol.TypeGameOver, tt.limit.Seconds())
		})
	}
}

func TestAPlayerInItsPauseAndOneInItsCallForfeitTogetherAtTheBound(t *testing.T) {
	withReferee(t, setting{opts: referee.Options{Policy: referee.Policy{MatchLimit: 31 * time.Second}}}, func(h *harness) {
		muteChoice(h.players["P01"]) // until 30, then a pause
		b, n := h.players["P02"], 0
		b.asked = func(ctx context.Context, _ *protocol.ChooseParityCall) (protocol.Message, error) {
			if n++; n > 1 {
				return never(ctx)
			}
			return b.parity(quoted("banana")), nil
		}
		h.play(order())
		h.checkForfeits(map[string]string{"P01": "E001", "P02": "E001"})
		h.checkTimes("P01", protocol.TypeChooseParityCall, 0)
		h.checkTimes("P02", protocol.TypeChooseParityCall, 0, 2)
		h.checkTimes("P01", protocol.TypeGameOver, 31)
	})
}

func TestBreakerSparesEndpointsThatAreKnownToBeDead(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.players["P02"].process.Crash()
		league := ""                               // of the match; "": that of order
		n, registered := 0, "1999-12-31T23:00:00Z" // by the manager's clock, which may be slow
		// next plays another match and returns how many real tries were made to reach P02, and its error codes.
		next := func() (tries int, codes string) {
			h.reset()
			m := order()
			n++
			m.MatchID, m.PlayerB.RegisteredAt = fmt.Sprint("R", n, "M1"), registered
			m.LeagueID = cmp.Or(league, m.LeagueID)
			h.play(m)
			for _, e := range h.sentTo("P02", protocol.TypeGameError) {
				told := as[protocol.GameError](t, e)
				if codes += told.ErrorCode + " "; !strings.Contains(told.Detail, "does not answer: ") {
					t.Errorf("GAME_ERROR does not name the cause: %s", told.Detail)
				}
			}
			return len(h.sentTo("P02", protocol.TypeGameInvitation)), codes
		}
		all := "E009 E009 E009 E009 "
		for _, step := range []struct {
			what  string
			prior func()
			tries int
		}{
			{"four failures leave the breaker closed", nil, 4},
			{"the fifth opens it", nil, 1},
			{"an open one lets each match make sure", nil, 1},
			{"also the next", nil, 1},
			{"after a minute it is tried again, and one failure opens it", func() { pass(61 * time.Second) }, 1},
			{"a new registration closes it", func() { registered = "1999-12-31T23:00:01Z" }, 4},
			{"the same one does not", nil, 1},
			{"a new one does after the manager's clock was set back", func() { registered = "1999-12-31T22:00:00Z" }, 4},
			{"and the same one does not", nil, 1},
			{"a registration in another league does", func() { league = "another_league" }, 4},
			{"the endpoint stays blocked in both leagues", func() { league = "" }, 1},
		} {
			if step.prior != nil {
				step.prior()
			}
			if tries, codes := next(); tries != step.tries || codes != all {
				t.Errorf("%s: got %d real tries and %s, want %d and %s", step.what, tries, codes, step.tries, all)
			}
		}
		h.checkTimes("P02", protocol.TypeGameError, 0, 2, 4, 6) // failing at once keeps the pauses
		over := as[protocol.GameOver](t, h.heardBy("P01", protocol.TypeGameOver)[0])
		if why := over.GameResult.Reason; !strings.Contains(why, "P02 forfeited: its endpoint does not answer") {
			t.Errorf("the opponent receives %q, want the reason without an address", why)
		}
		h.bootPlayer("P02", 8102)
		if tries, codes := next(); tries != 1 || codes != "" {
			t.Errorf("a player that is back: got %d real tries and %q, want 1 and no error", tries, codes)
		}
		h.players["P02"].process.Crash()
		if tries, _ := next(); tries != 4 {
			t.Errorf("after it was reached: got %d real tries, want 4: its failures are forgotten", tries)
		}
	})
}

func TestSilentPlayersDoNotOpenTheBreaker(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		unheard(h.players["P02"])
		for n := range 3 {
			h.reset()
			m := order()
			m.MatchID = fmt.Sprint("R", n+1, "M1")
			h.play(m)
			h.checkTimes("P02", protocol.TypeGameInvitation, 0, 7, 14, 21)
		}
	})
}

func TestTimeoutIsCalledOnlyWhenTheRefereeWasOnTime(t *testing.T) {
	tests := []struct {
		name  string
		stops int // how often the referee is 10 s late
		calls []float64
		code  string
	}{
		{"never late", 0, []float64{0, 32, 64, 96}, "E001"},
		{"late once", 1, []float64{0, 40, 72, 104, 136}, "E001"},
		{"late for ever", 1000, []float64{0, 40, 80, 122, 164, 206}, "E001"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				left := tt.stops
				h.meddle(func(_, label string, answer []byte, err error) ([]byte, error) {
					if label == "CHOOSE_PARITY_CALL R1M1" && err != nil && left > 0 {
						left--
						pass(10 * time.Second) // as if the process had been stopped
					}
					return answer, err
				})
				muteChoice(h.players["P01"])
				h.play(order())
				h.checkTimes("P01", protocol.TypeChooseParityCall, tt.calls...)
				if got := len(h.sentTo("P01", protocol.TypeGameError)); got != 4 {
					t.Errorf("got %d GAME_ERRORs, want 4: none for a try that the referee itself missed", got)
				}
				h.checkForfeits(map[string]string{"P01": tt.code})
			})
		})
	}
}

func TestPlayerThatAnswersWithAnErrorIsTriedAgain(t *testing.T) {
	for kind, code := range map[*protocol.Kind]string{
		protocol.RateLimited: "E010", protocol.Timeout: "E001", protocol.Internal: "E009", protocol.AuthTokenInvalid: "E009",
	} {
		t.Run(kind.Name, func(t *testing.T) {
			withReferee(t, setting{}, func(h *harness) {
				p, n := h.players["P01"], 0
				p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
					if n++; n < 3 {
						return nil, protocol.Errorf(kind, "not now")
					}
					return p.parity(quoted("odd")), nil
				}
				h.play(order())
				h.checkTimes("P01", protocol.TypeChooseParityCall, 0, 2, 4)
				for _, e := range h.sentTo("P01", protocol.TypeGameError) {
					if got := as[protocol.GameError](t, e).ErrorCode; got != code {
						t.Errorf("GAME_ERROR %s, want %s", got, code)
					}
				}
				h.checkForfeits(nil)
			})
		})
	}
}

// failing is a network on which a player answers HTTP 500 to one method.
type failing struct {
	*rpctest.Process
	label, body string
}

func (f *failing) Post(ctx context.Context, url, label string, body []byte) (int, []byte, error) {
	if label == f.label && strings.Contains(url, "8102") {
		return 500, []byte(f.body), nil
	}
	return f.Process.Post(ctx, url, label, body)
}

// An exception in a player's program is reported as such: not as a timeout, nor as a lost connection.
func TestHTTP500IsToldAsThat(t *testing.T) {
	const class = " answered HTTP 500 to choose_parity"
	const want = class + " (it said: “KeyError: 'match' Traceback”)"
	for _, dialect := range []string{protocol.Canonical, ""} {
		withReferee(t, setting{}, func(h *harness) {
			h.referee.Node.Network = &failing{h.procs["REF01"], "CHOOSE_PARITY_CALL R1M1", "KeyError: 'match'\nTraceback"}
			m := order()
			m.PlayerB.Dialect = dialect
			h.play(m)
			sent := h.sentTo("P02", protocol.TypeGameError)
			for _, e := range sent {
				if got := as[protocol.GameError](t, e).Detail; got != "your agent"+want {
					t.Errorf("GAME_ERROR: got %s\nwant your agent%s", got, want)
				}
			}
			rec, _ := h.record()
			if got := rec.LastErrorDetail("P02"); len(sent) != 4 || got != "your agent"+want {
				t.Errorf("%d GAME_ERRORs; the record's last word is %s", len(sent), got)
			}
			if got := rec.Result.Reason; got != "P02 forfeited: the agent of P02"+class { // the opponent reads it
				t.Errorf("got the reason %s", got)
			}
		})
	}
}

// Each timeout and each technical loss is a warning with the code, the player and the time, as the assignment has it
// (§10.7.3: GAME_ERROR with match_id, error_code, player_id and timeout_sec), and a sentence.
func TestTimeoutsAndTechnicalLossesAreWarnings(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		muteChoice(h.players["P02"])
		h.play(order())
		logs := h.logged()
		for _, want := range []string{
			`"level":"WARN","msg":"P02 in R1M1: no CHOOSE_PARITY_RESPONSE within 30 seconds; retry 1 of 3 follows",` +
				`"event_type":"GAME_ERROR","match_id":"R1M1","player_id":"P02","error_code":"E001","waited_sec":30,"retry_count":1,"timeout_sec":30}`,
			`"level":"WARN","msg":"P02 in R1M1: no CHOOSE_PARITY_RESPONSE within 30 seconds; no retry is left",` +
				`"event_type":"GAME_ERROR","match_id":"R1M1","player_id":"P02","error_code":"E001","waited_sec":30,"retry_count":3,"timeout_sec":30}`,
			`"level":"WARN","msg":"P02 loses R1M1 by technical loss: no CHOOSE_PARITY_RESPONSE within 30 seconds",` +
				`"event_type":"TECHNICAL_LOSS","match_id":"R1M1","player_id":"P02","error_code":"E001","after_sec":126}`,
		} {
			if !strings.Contains(logs, want) {
				t.Errorf("the log has no %s", want)
			}
		}
		if got := strings.Count(logs, `"event_type":"GAME_ERROR"`); got != 4 {
			t.Errorf("%d warnings of a failed try, want 4", got)
		}
	})
}

// The problem of a choice, and the valid choices.
func TestAnIllegalChoiceIsToldInASentence(t *testing.T) {
	for sent, want := range map[string]string{
		`"Even"`: `"Even" is not a choice: use "even" or "odd"`,
		`7`:      `7 is not a choice: use "even" or "odd"`,
		`null`:   `the answer has no parity_choice: use "even" or "odd"`,
	} {
		withReferee(t, setting{opts: referee.Options{Policy: referee.Policy{MaxRetries: -1}}}, func(h *harness) {
			p := h.players["P02"]
			p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
				return p.parity(json.RawMessage(sent)), nil
			}
			h.play(order())
			e := as[protocol.GameError](t, h.sentTo("P02", protocol.TypeGameError)[0])
			if e.Detail != want || e.ErrorDescription != "INVALID_PARITY_CHOICE" ||
				e.Suggestion != "Answer with one of the options that were offered, spelled the same" {
				t.Errorf("%s: got %q, %q, %q, want %q", sent, e.Detail, e.ErrorDescription, e.Suggestion, want)
			}
		})
	}
}
