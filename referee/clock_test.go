package referee_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/protocol"
	"agentleague/referee"
)

// stillness is a process that is suspended from time to time, as its pulse would report.
type stillness struct {
	mu    sync.Mutex
	stood time.Duration
	rests map[time.Time]time.Duration // the longest suspensions, by the time of their report
}

func (s *stillness) stand(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stood += d
	if s.rests == nil {
		s.rests = map[time.Time]time.Duration{}
	}
	s.rests[time.Now()] = max(s.rests[time.Now()], d)
}

func (s *stillness) told() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stood
}

func (s *stillness) longest(since time.Time) (longest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, d := range s.rests {
		if !at.Before(since) {
			longest = max(longest, d)
		}
	}
	return longest
}

// triesOf formats the recorded tries of a player.
func (h *harness) triesOf(player string) string {
	var out []string
	rec, _ := h.record()
	for _, t := range rec.Tries {
		if t.PlayerID == player {
			out = append(out, fmt.Sprintf("%s %s %v+%v void=%v", t.Asked, t.Outcome, t.AgentMS, t.OverheadMS, t.Void))
		}
	}
	return strings.Join(out, "\n")
}

func TestAgentsTimeAndOwnDelayStandApart(t *testing.T) {
	var still stillness
	var m meter
	withReferee(t, setting{opts: referee.Options{Suspended: still.told, Meter: &m}}, func(h *harness) {
		for id, thinks := range map[string]time.Duration{"P01": 1500 * time.Millisecond, "P02": 7 * time.Second} {
			p := h.players[id]
			p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
				pass(thinks)
				if id == "P02" {
					still.stand(2 * time.Second) // of which P01 was not aware any more
				}
				return p.parity(quoted("odd")), nil
			}
		}
		h.play(order())
		if got, want := h.triesOf("P01"),
			"GAME_INVITATION ANSWERED 0+0 void=false\nCHOOSE_PARITY_CALL ANSWERED 1500+0 void=false"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if got, want := h.triesOf("P02"),
			"GAME_INVITATION ANSWERED 0+0 void=false\nCHOOSE_PARITY_CALL ANSWERED 5000+2000 void=false"; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if m.agent != 6500*time.Millisecond || m.overhead != 2*time.Second {
			t.Errorf("told of %v and %v, want 6.5s and 2s", m.agent, m.overhead)
		}
		if got := h.report().AgentTiming["P02"]; got != (protocol.Timing{
			Tries: 2, AgentUS: 5_000_000, OverheadUS: 2_000_000,
		}) {
			t.Errorf("reported %+v", got)
		}
	})
}

func TestNobodyForfeitsForTimeInWhichTheRefereeStoodStill(t *testing.T) {
	var still stillness
	withReferee(t, setting{opts: referee.Options{Suspended: still.told, Longest: still.longest,
		Policy: referee.Policy{MaxRetries: -1}}},
		func(h *harness) {
			p, n := h.players["P01"], 0
			p.asked = func(ctx context.Context, _ *protocol.ChooseParityCall) (protocol.Message, error) {
				if n++; n <= 2 {
					pass(time.Second)
					still.stand(29 * time.Second) // the deadline passes during it, and is noticed on time
					return never(ctx)
				}
				return p.parity(quoted("odd")), nil
			}
			h.play(order())
			h.checkForfeits(nil)
			h.checkTimes("P01", protocol.TypeChooseParityCall, 0, 30, 60)
			if got := len(h.sentTo("P01", protocol.TypeGameError)); got != 0 {
				t.Errorf("got %d GAME_ERRORs, want none", got)
			}
			want := "GAME_INVITATION ANSWERED 0+0 void=false" +
				strings.Repeat("\nCHOOSE_PARITY_CALL E001 1000+29000 void=true", 2) + "\nCHOOSE_PARITY_CALL ANSWERED 0+0 void=false"
			if got := h.triesOf("P01"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
}

// A player that hangs gets the error after its deadline, although the referee's machine is busy: with many short
// delays, or occasional long ones.
func TestAHungPlayerIsToldSoOnABusyMachine(t *testing.T) {
	for _, tt := range []struct {
		name   string
		rests  int           // in each try
		each   time.Duration // that long
		errors []float64     // when GAME_ERROR comes
	}{
		{"many short rests", 600, 30 * time.Millisecond, []float64{30, 62, 94, 126}},
		{"rests just too short to be a twentieth", 10, 1499 * time.Millisecond, []float64{30, 62, 94, 126}},
		{"a rest of a twentieth in each try", 1, 1500 * time.Millisecond, []float64{90, 122, 154, 186}},
		{"always at rest", 1, 30 * time.Second, []float64{90, 122, 154, 186}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var still stillness
			withReferee(t, setting{opts: referee.Options{Suspended: still.told, Longest: still.longest}}, func(h *harness) {
				h.players["P02"].asked = func(ctx context.Context, _ *protocol.ChooseParityCall) (protocol.Message, error) {
					for range tt.rests {
						pass(time.Millisecond)
						still.stand(tt.each)
					}
					return never(ctx)
				}
				h.play(order())
				h.checkForfeits(map[string]string{"P02": "E001"})
				h.checkTimes("P02", protocol.TypeGameError, tt.errors...)
			})
		})
	}
}

// Of a question with a short deadline a twentieth is little: a rest of less than 200 ms is none.
func TestAShortRestIsNoExcuseHoweverShortTheDeadline(t *testing.T) {
	for rest, want := range map[time.Duration]float64{199 * time.Millisecond: 1, 200 * time.Millisecond: 3} {
		var still stillness
		policy := referee.Policy{MoveTimeout: time.Second, MaxRetries: -1}
		withReferee(t, setting{opts: referee.Options{Suspended: still.told, Longest: still.longest, Policy: policy}},
			func(h *harness) {
				h.players["P02"].asked = func(ctx context.Context, _ *protocol.ChooseParityCall) (protocol.Message, error) {
					pass(time.Millisecond)
					still.stand(rest)
					return never(ctx)
				}
				h.play(order())
				h.checkTimes("P02", protocol.TypeGameError, want)
			})
	}
}

// In virtual time nothing is late: measurements are exact.
func TestSilenceIsMeasuredExactly(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		muteChoice(h.players["P02"])
		h.play(order())
		h.checkForfeits(map[string]string{"P02": "E001"})
		want := "GAME_INVITATION ANSWERED 0+0 void=false" + strings.Repeat("\nCHOOSE_PARITY_CALL E001 30000+0 void=false", 4)
		if got := h.triesOf("P02"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// That a pulse sees a process that is stopped is held where there is one to stop, in internal/cli.
func TestPulseOfAProcessThatIsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p referee.Pulse
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); p.Beat(ctx) }()
		for range 100 {
			pass(777 * time.Millisecond)
			if got := p.Suspended(); got != 0 {
				t.Fatalf("got %v, want 0", got)
			}
		}
		stop()
		<-ended
		pass(time.Hour)
		if got := p.Suspended(); got != 0 {
			t.Errorf("after its end: got %v, want 0", got)
		}
	})
}
