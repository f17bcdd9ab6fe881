package manager_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// given lists the orders in a league's state, without their times.
func given(s *league.State) (out []string) {
	for _, o := range s.Orders {
		out = append(out, strings.TrimSpace(o.What+" "+o.ID)+" by "+o.By)
	}
	return out
}

func TestOrdersStandInTheLogWithWhoAndWhen(t *testing.T) {
	inWorld(t, 31, rpctest.Faults{}, manager.Options{Window: -1, CreatedBy: "the operator"}, func(w *world) {
		w.bootAll(1, 3)
		w.await(time.Minute, "all are there", func(s *league.State) bool { return len(s.Agents) == 4 })
		time.Sleep(time.Second)
		began := time.Now().UTC()
		if err := w.manager.Orders.Start(w.ctx, "admin via page"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.call("admin:cli", adminToken, &protocol.Tool{
			Envelope: protocol.Envelope{MessageType: protocol.TypePauseLeague, ConversationID: "c"},
		}); err != nil {
			t.Fatal(err)
		}
		if err := w.manager.Orders.Withdraw(w.ctx, "P03", "\x1b[2Jsomebody\u202e "+strings.Repeat("x", 500)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.order(protocol.TypeResumeLeague, ""); err != nil {
			t.Fatal(err)
		}
		if !w.finish(10 * time.Minute) {
			return
		}
		got := given(w.state())
		want := []string{
			"created by the operator", "start by admin via page", "pause by admin via cli ", "withdraw P03 by ",
			"resume by admin via league.v2 ",
		}
		for i, g := range got {
			if i >= len(want) || !strings.HasPrefix(g, want[i]) {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
		if len(got) != len(want) || strings.ContainsAny(got[3], "\x1b\u202e") || len(got[3]) > 120 {
			t.Errorf("got %q", got)
		}
		for _, o := range w.state().Orders[1:] {
			if o.At.Before(began) || o.At.After(time.Now()) {
				t.Errorf("%s at %v, want after %v", o.What, o.At, began)
			}
		}
		w.checkLaws()
		var told []protocol.OrderInfo
		w.data(protocol.TypeLeagueQuery, "admin", adminToken, protocol.QueryPlayerDirectory, protocol.QueryParams{},
			"orders", &told)
		if len(told) != len(want) || told[3].AgentID != "P03" || told[3].Order != "withdraw" ||
			told[0].At != protocol.Stamp(w.state().CreatedAt) {
			t.Errorf("the admin is told %+v", told)
		}
		before := w.state().Orders
		w.crash("LM")
		w.bootManager()
		if after := w.state().Orders; !reflect.DeepEqual(before, after) {
			t.Errorf("after a restart: got %+v, want %+v", after, before)
		}
	})
}

// Only the admin sees the senders of orders, because of their addresses.
func TestOrdersAreToldToTheAdminAlone(t *testing.T) {
	inWorld(t, 32, rpctest.Faults{}, manager.Options{Window: -1, CreatedBy: "the operator"}, func(w *world) {
		w.bootAll(1, 1)
		w.await(time.Minute, "all are there", func(s *league.State) bool {
			return len(s.Agents) == 2 && w.referees["REF01"].Granted().Token != ""
		})
		r, err := w.query(protocol.TypeLeagueQuery, "referee:REF01", w.referees["REF01"].Granted().Token,
			protocol.QueryPlayerDirectory, protocol.QueryParams{})
		if err != nil || strings.Contains(string(r.Data), "operator") {
			t.Errorf("a referee is told %s, %v", r.Data, err)
		}
		r, err = w.query(protocol.TypeGetLeagueStatus, "player:P01", "", protocol.QueryStatus, protocol.QueryParams{})
		if err != nil || strings.Contains(string(r.Data), "operator") {
			t.Errorf("anybody is told %s, %v", r.Data, err)
		}
	})
}

func TestLogsOfBeforeOrdersHadAName(t *testing.T) {
	at := `","at":"2025-01-15T10:30:00Z","event":`
	_, events, err := league.DecodeBatch([]byte(`[{"kind":"StartOrdered` + at + `{}},{"kind":"Paused` + at +
		`{}},{"kind":"Resumed` + at + `{}},{"kind":"Withdrawn` + at + `{"id":"P01"}}]`))
	want := []league.Event{league.StartOrdered{}, league.Paused{}, league.Resumed{}, league.Withdrawn{ID: "P01"}}
	if err != nil || !reflect.DeepEqual(events, want) {
		t.Errorf("got %+v, %v, want %+v", events, err, want)
	}
}

func TestDrainOfTheAdminIsShownAndEndsWhenItIsResumed(t *testing.T) {
	inWorld(t, 33, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 1, Pace: 30 * time.Second},
		func(w *world) {
			w.bootAll(1, 4)
			w.await(time.Hour, "round 1 is over", func(s *league.State) bool { return s.Round == 1 && !s.RoundOpen })
			if ack, err := w.order(protocol.TypeDrainLeague, ""); err != nil || !ack.Paused {
				t.Errorf("got %+v, %v", ack, err)
			}
			if _, err := w.order(protocol.TypeDrainLeague, ""); err != nil || len(given(w.state())) != 1 {
				t.Errorf("drained twice: %v, and the log has %q", err, given(w.state()))
			}
			time.Sleep(10 * time.Minute)
			if s := w.status(); !s.Paused || !strings.Contains(s.PauseReason, "drained") || w.state().Recorded != 2 {
				t.Errorf("got %+v with %d results, want a pause that says why", s, w.state().Recorded)
			}
			if err := w.manager.Orders.Resume(w.ctx, "admin"); err != nil {
				t.Error(err)
			}
			if s := w.status(); s.Paused || s.PauseReason != "" {
				t.Errorf("resumed: got %+v", s)
			}
			if w.finish(10 * time.Minute) {
				w.checkLaws()
			}
			if err := w.manager.Orders.Drain(w.ctx, "admin"); err != nil || w.status().Paused {
				t.Errorf("after the end: %v, %+v", err, w.status())
			}
		})
}

// A league that is completed and announced can be opened without an entry in its log.
func TestLeagueThatIsOverIsReadWithoutWriting(t *testing.T) {
	inWorld(t, 34, rpctest.Faults{}, manager.Options{StartPlayers: 2, StartReferees: 1}, func(w *world) {
		w.bootAll(1, 2)
		if !w.finish(10 * time.Minute) {
			return
		}
		before := w.disk.Len(leagueID)
		w.crash("LM")
		shown := &board{}
		w.opts.Reading, w.opts.Projector = true, shown
		w.bootManager()
		time.Sleep(time.Minute)
		if s := w.state(); !s.Completed() || s.Recorded != 1 || w.disk.Len(leagueID) != before {
			t.Errorf("completed is %v with %d results; %d entries were written", s.Completed(), s.Recorded,
				w.disk.Len(leagueID)-before)
		}
		if len(shown.all()) > 0 {
			t.Errorf("it was shown %d times although nothing changed", len(shown.all()))
		}
		w.bootPlayer(1)
		w.await(time.Minute, "the player is told that the league is over", func(*league.State) bool {
			return w.logged("there is nothing left to play")
		})
		if got := w.disk.Len(leagueID); got != before {
			t.Errorf("%d entries were written after the league's last word", got-before)
		}
		if _, err := w.order(protocol.TypePauseLeague, ""); refusal(err) != "LEAGUE_ALREADY_COMPLETE 4005" {
			t.Errorf("got %v", err)
		}
	})
}
