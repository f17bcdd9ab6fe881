package referee_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"agentleague/dialect/notation"
	"agentleague/protocol"
	"agentleague/referee"
)

// checkToldOnce checks that both players have received one result, possibly several times, and that the manager has it.
func (h *harness) checkToldOnce(reports int) {
	h.t.Helper()
	for _, id := range []string{"P01", "P02"} {
		results := map[string]bool{}
		for _, e := range h.heardBy(id, protocol.TypeGameOver) {
			results[string(e.body)] = true
			over := as[protocol.GameOver](h.t, e)
			if over.AuthToken != "tok_match_of_"+id || over.Fairness.Key != drawKey {
				h.t.Errorf("%s hears %s", id, e.body)
			}
		}
		if len(results) == 0 {
			h.t.Errorf("%s has not heard how the match ended", id)
		}
		if got := len(h.heardBy(id, protocol.TypeGameInvitation)); got != 1 {
			h.t.Errorf("%s was invited %d times, want once", id, got)
		}
	}
	heard := h.heardBy("LM", protocol.TypeMatchResultReport)
	if len(heard) != reports {
		h.t.Errorf("the manager has %d reports, want %d", len(heard), reports)
	}
	hashes := map[string]bool{}
	for _, e := range heard {
		hashes[as[protocol.MatchResultReport](h.t, e).RecordSHA256] = true
	}
	if len(hashes) != 1 {
		h.t.Errorf("the reports name %d records, want 1", len(hashes))
	}
	if got := h.unreported(); got != nil {
		h.t.Errorf("unreported: got %q, want none", got)
	}
}

func TestRefereeThatCrashesTellsItsResultAfterwards(t *testing.T) {
	tests := []struct {
		name    string
		arrange func(h *harness, d *diary, crash func())
		overs   [2]int // how often each player receives it
		reports int
	}{
		{"between record and GAME_OVER", func(_ *harness, d *diary, crash func()) { d.then = crash }, [2]int{1, 1}, 1},
		{"between GAME_OVER and report", func(h *harness, _ *diary, crash func()) {
			p := h.players["P02"]
			p.over = func(context.Context, *protocol.GameOver) (protocol.Message, error) {
				crash()
				return p.ack(protocol.TypeGameOverAck), nil
			}
		}, [2]int{2, 2}, 1},
		{"between report and its acknowledgement", func(h *harness, _ *diary, crash func()) {
			h.manager.reported = func(r *protocol.MatchResultReport) (protocol.Message, error) {
				crash()
				return h.manager.counted(r), nil
			}
		}, [2]int{2, 2}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := &diary{}
			withReferee(t, setting{recorder: d}, func(h *harness) {
				d.h = h
				crashed := make(chan struct{})
				alive := true
				tt.arrange(h, d, func() {
					if alive {
						alive = false
						h.procs["REF01"].Crash()
						close(crashed)
					}
				})
				if _, err := h.start(order()); err != nil {
					t.Error(err)
				}
				<-crashed
				pass(time.Minute)
				if got := h.unreported(); len(got) != 1 {
					t.Errorf("unreported after the crash: got %q, want R1M1 1", got)
				}
				if err := h.bootReferee(); err != nil {
					t.Error(err)
				}
				h.referee.Wait()
				h.checkToldOnce(tt.reports)
				for i, id := range []string{"P01", "P02"} {
					if got := len(h.heardBy(id, protocol.TypeGameOver)); got != tt.overs[i] {
						t.Errorf("%s hears GAME_OVER %d times, want %d", id, got, tt.overs[i])
					}
				}
			})
		})
	}
}

// Dialects that are detected while a result is announced are stored before the manager has the result: a referee that
// repeats the announcement does not search again.
func TestRefereeThatTellsAResultAgainKnowsHow(t *testing.T) {
	memory := &referee.Memory{}
	withReferee(t, setting{recorder: memory}, func(h *harness) {
		h.manager.reported = func(r *protocol.MatchResultReport) (protocol.Message, error) {
			h.procs["REF01"].Crash()
			return h.manager.counted(r), nil
		}
		m := order()
		m.PlayerA.Dialect = "" // nothing is known of it; the other is ours
		if _, err := h.start(m); err != nil {
			t.Error(err)
		}
		pass(time.Minute)
		kept := 0
		for f, err := range memory.Unreported(t.Context()) {
			kept++
			d, wrong := notation.Parse(f.Start.PlayerA.Dialect)
			for _, typ := range []protocol.Type{
				protocol.TypeGameInvitation, protocol.TypeChooseParityCall, protocol.TypeGameOver,
			} {
				if _, known := d.Forms[typ]; !known {
					t.Errorf("%v, %v: the order knows %q, want how a %s is put", err, wrong, f.Start.PlayerA.Dialect, typ)
				}
			}
			if f.Start.PlayerB.Dialect != protocol.Canonical {
				t.Errorf("ours is %q in the order, want %q", f.Start.PlayerB.Dialect, protocol.Canonical)
			}
		}
		if kept != 1 {
			t.Errorf("%d results are not reported, want 1", kept)
		}
		h.set(func() { h.manager.reported = nil })
		if err := h.bootReferee(); err != nil {
			t.Error(err)
		}
		h.referee.Wait()
		h.checkToldOnce(2)
		for _, e := range h.heardBy("LM", protocol.TypeMatchResultReport) {
			if got := as[protocol.MatchResultReport](t, e).Dialects["P01"]; !strings.Contains(got, "GAME_OVER=") {
				t.Errorf("a report tells %q of P01, want all that was learned", got)
			}
		}
	})
}

func TestRefereeThatCrashesInTheMatchPlaysItAgainWhenToldTo(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		p, n := h.players["P01"], 0
		p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
			if n++; n == 1 {
				h.procs["REF01"].Crash()
			}
			return p.parity(quoted("odd")), nil
		}
		if _, err := h.start(order()); err != nil {
			t.Error(err)
		}
		pass(time.Minute)
		if err := h.bootReferee(); err != nil {
			t.Error(err)
		}
		h.play(order())
		h.report()
	})
}

func TestUnreportedResultIsToldBeforeAnythingElse(t *testing.T) {
	memory := &referee.Memory{}
	withReferee(t, setting{recorder: memory}, func(h *harness) {
		h.manager.reported = func(*protocol.MatchResultReport) (protocol.Message, error) {
			h.procs["REF01"].Crash()
			return never(h.manager.process.Context())
		}
		if _, err := h.start(order()); err != nil {
			t.Error(err)
		}
		pass(time.Minute)
		h.reset()
		next := order()
		next.MatchID = "R1M2"
		h.set(func() {
			h.manager.reported = nil
			h.manager.admitted = func(r *protocol.RefereeRegisterRequest) (protocol.Message, error) {
				go h.until("R1M2 is taken", time.Second, func() bool {
					status, _ := h.start(next)
					return status == protocol.Accepted
				})
				return h.manager.admit(r)
			}
		})
		if err := h.bootReferee(); err != nil {
			t.Error(err)
		}
		h.until("both reports", time.Minute, func() bool { return len(h.heardBy("LM", protocol.TypeMatchResultReport)) == 2 })
		h.referee.Wait()
		var old, other []int
		for i, e := range h.sentTo("") {
			switch as[protocol.Envelope](t, e).MatchID {
			case "R1M1":
				old = append(old, i)
			case "R1M2":
				other = append(other, i)
			}
		}
		if len(old) != 3 || len(other) == 0 || old[1] > other[0] {
			t.Errorf("R1M1 is told by messages %v, R1M2 played by %v, want GAME_OVER of R1M1 before any of R1M2", old, other)
		}
		first := as[protocol.MatchResultReport](t, h.heardBy("LM", protocol.TypeMatchResultReport)[0])
		if first.MatchID != "R1M1" {
			t.Errorf("the first report is of %s, want R1M1", first.MatchID)
		}
	})
}

func TestOrderThatComesAgainWhileTheReportIsUnderWayGivesOneReport(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.manager.process.Crash()
		h.bootManager()
		p := h.players["P01"]
		p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
			h.manager.process.Crash()
			return p.parity(quoted("odd")), nil
		}
		if _, err := h.start(order()); err != nil {
			t.Error(err)
		}
		pass(9 * time.Second)
		h.bootManager() // it comes back and asks for the match
		if status, err := h.start(order()); status != protocol.Accepted || err != nil {
			t.Errorf("got %q, %v, want ACCEPTED", status, err)
		}
		h.referee.Wait()
		h.checkToldOnce(1)
	})
}

func TestReportedResultIsNotToldAgainAfterARestart(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.play(order())
		h.reset()
		if err := h.bootReferee(); err != nil {
			t.Error(err)
		}
		h.referee.Wait()
		if got := h.sentTo("", protocol.TypeGameOver, protocol.TypeMatchResultReport); len(got) != 0 {
			t.Errorf("the referee sent %d messages about a reported match, want none", len(got))
		}
	})
}

// A torn recorder has a record that cannot be read.
type torn struct{ referee.Memory }

func (*torn) Unreported(context.Context) iter.Seq2[referee.Finished, error] {
	return func(yield func(referee.Finished, error) bool) {
		yield(referee.Finished{}, errors.New("torn.json: unexpected end"))
	}
}

func TestRecordsThatCannotBeReadAreAnErrorOfTheStart(t *testing.T) {
	withReferee(t, setting{}, func(h *harness) {
		h.recorder = &torn{}
		if err := h.bootReferee(); err == nil || err.Error() != "read unreported records: torn.json: unexpected end" {
			t.Errorf("got %v, want an error that says so", err)
		}
	})
}

func TestUnreportedResultGoesToTheManagerOfNow(t *testing.T) {
	record := func(league string) *referee.Finished {
		start := order()
		start.LeagueID, start.ReportTo = league, "http://localhost:9999/mcp" // where a manager was before
		return &referee.Finished{Start: *start, Record: protocol.MatchRecord{
			SchemaVersion: "1.0.0", LeagueID: league, MatchID: "R1M1", RoundID: 1, GameType: "even_odd", Attempt: 1,
			PlayerAID: "P01", PlayerBID: "P02", Result: protocol.GameResult{Status: protocol.Draw},
		}}
	}
	memory := &referee.Memory{}
	for _, league := range []string{"another_league", leagueID} {
		if err := memory.Record(context.Background(), record(league)); err != nil {
			t.Fatal(err)
		}
	}
	withReferee(t, setting{recorder: memory}, func(h *harness) {
		h.referee.Wait()
		if got := h.unreported(); len(got) != 1 {
			t.Errorf("unreported: got %q, want the one of another league", got)
		}
		for f := range memory.Unreported(context.Background()) {
			if f.Record.LeagueID != "another_league" {
				t.Errorf("the result of %s was not reported to its manager", f.Record.LeagueID)
			}
		}
	})
}
