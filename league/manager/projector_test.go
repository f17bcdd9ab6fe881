package manager_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// A cabinet keeps records in memory. It refuses the first one it is given.
type cabinet struct {
	mu      sync.Mutex
	refused bool
	kept    map[string]string
}

func (c *cabinet) Has(match, _ string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[match] != ""
}

func (c *cabinet) Store(match string, document []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.refused {
		c.refused = true
		return errors.New("the cabinet is stuck")
	}
	c.kept[match] = string(document)
	return nil
}

// A board shows snapshots.
type board struct {
	mu    sync.Mutex
	shown []league.Snapshot
}

func (b *board) Project(s league.Snapshot) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shown = append(b.shown, s)
	return nil
}

func (c *cabinet) get(match string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[match]
}

func (b *board) all() []league.Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.shown)
}

func TestRecordsOfCountedMatchesAreKept(t *testing.T) {
	c := &cabinet{kept: map[string]string{}}
	inWorld(t, 3, rpctest.Faults{}, manager.Options{StartPlayers: 3, StartReferees: 2, Records: c}, func(w *world) {
		w.bootAll(2, 3)
		if !w.finish(time.Hour) {
			return
		}
		w.manager.Settle(w.ctx)
		s := w.state()
		for id, m := range s.Matches {
			doc, err := w.recorders[m.Outcome.Referee].Document(w.ctx, protocol.RecordRef{LeagueID: leagueID, MatchID: id, Attempt: 1})
			if err != nil || c.get(id) != string(doc) || protocol.RecordHash(doc) != m.Outcome.RecordSHA256 {
				t.Errorf("%s: the record that is kept is not the one that was reported (%v)", id, err)
			}
		}
		if len(s.Matches) != 3 {
			t.Errorf("%d matches were played, want 3", len(s.Matches))
		}
	})
}

func TestUnplayedMatchHasARecordOfTheManagersOwn(t *testing.T) {
	c := &cabinet{kept: map[string]string{}}
	inWorld(t, 4, rpctest.Faults{}, manager.Options{StartPlayers: 3, StartReferees: 1, Records: c, Hold: true}, func(w *world) {
		w.bootAll(1, 3)
		w.await(time.Minute, "the league runs", func(s *league.State) bool { return s.Started() })
		if _, err := w.order(protocol.TypeWithdrawPlayer, "P03"); err != nil {
			t.Fatal(err)
		}
		w.manager.Orders.Release()
		if !w.finish(time.Hour) {
			return
		}
		w.manager.Settle(w.ctx)
		unplayed := 0
		for id, m := range w.state().Matches {
			rec, err := protocol.ParseRecord([]byte(c.get(id)))
			if err != nil {
				t.Errorf("%s: %v", id, err)
			}
			if m.Outcome.Attempt > 0 {
				continue
			}
			unplayed++
			if rec.TranscriptComplete || rec.Result.Status != protocol.TechnicalLoss || rec.Result.WinnerPlayerID == nil || *rec.Result.WinnerPlayerID == "P03" {
				t.Errorf("%s: own record = %+v, want P03's technical loss without a transcript", id, rec.Result)
			}
		}
		if unplayed != 2 {
			t.Errorf("%d matches were unplayed, want P03's two", unplayed)
		}
	})
}

func TestSnapshotShowsTheLeagueToItsEnd(t *testing.T) {
	b := &board{}
	inWorld(t, 5, rpctest.Faults{}, manager.Options{StartPlayers: 3, StartReferees: 1, Projector: b}, func(w *world) {
		w.strategy = func(string) player.Strategy { return slow(2 * time.Second) }
		w.bootAll(1, 3)
		if !w.finish(time.Hour) {
			return
		}
		time.Sleep(time.Second) // virtual: it may lag
		shown := b.all()
		last := shown[len(shown)-1]
		s := w.state()
		if !reflect.DeepEqual(last, s.Snapshot()) {
			t.Errorf("last shown %+v, want %+v", last, s.Snapshot())
		}
		if last.Version != 3 || last.RoundsCompleted != 3 || last.State != protocol.LeagueIsCompleted || len(last.Agents) != 4 {
			t.Errorf("last shown %+v, want three rounds and matches, completed, four agents", last)
		}
		r := last.Rounds[0]
		if len(r.Byes) != 1 || r.CompletedAt.Before(r.StartedAt) || r.Summary.TotalMatches != 1 || r.Matches[0].Status == "PENDING" {
			t.Errorf("first round shown as %+v", r)
		}
		open := false
		for _, s := range shown {
			open = open || s.RoundsCompleted == 0 && len(s.Rounds) == 1
		}
		if !open {
			t.Error("the league was not shown before its first round was over")
		}
	})
}

func TestDrainFinishesWhatIsInPlayAndNoMore(t *testing.T) {
	inWorld(t, 6, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 1, Pace: time.Minute}, func(w *world) {
		w.bootAll(1, 4)
		w.await(time.Hour, "the second round is open", func(s *league.State) bool { return s.Round == 2 })
		_ = w.manager.Orders.Drain(w.ctx, "admin")
		before := w.state().Recorded
		time.Sleep(10 * time.Minute) // virtual
		if after := w.state(); after.Recorded != before || len(after.Open()) > 0 && before == 0 {
			t.Errorf("%d matches were recorded after the drain had ended with %d", after.Recorded, before)
		}
		ended, cancel := context.WithCancel(w.ctx)
		cancel()
		_ = w.manager.Orders.Drain(ended, "admin") // does not wait
		w.manager.Orders.Release()
		w.finish(time.Hour)
	})
}

// A crowded board and cabinet fail while they are full.
type crowded struct {
	cabinet
	board
	mu     sync.Mutex
	full   bool
	failed int
}

func (c *crowded) check() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.full {
		c.failed++
		return errors.New("no space left on device")
	}
	return nil
}

// set changes whether there is room and returns how often there was none.
func (c *crowded) set(full bool) (failed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.full = full
	return c.failed
}

func (c *crowded) Store(match string, document []byte) error {
	if err := c.check(); err != nil {
		return err
	}
	return c.cabinet.Store(match, document)
}

func (c *crowded) Project(s league.Snapshot) error {
	if err := c.check(); err != nil {
		return err
	}
	return c.board.Project(s)
}

// A projection that fails is logged once, delays nothing, and is written later.
func TestWhatCannotBeShownForLackOfRoomIsShownLater(t *testing.T) {
	c := &crowded{cabinet: cabinet{refused: true, kept: map[string]string{}}, full: true}
	inWorld(t, 7, rpctest.Faults{}, manager.Options{StartPlayers: 4, StartReferees: 2, Projector: c, Records: c}, func(w *world) {
		w.bootAll(2, 4)
		if !w.finish(time.Hour) {
			return
		}
		time.Sleep(time.Minute) // virtual
		for _, text := range []string{"the files of the league could not be written; trying again until it works", "a match record could not be saved; trying again until it works"} {
			if n := w.count(text); n != 1 {
				t.Errorf("said %d times, want once: %s", n, text)
			}
		}
		soon, cancel := context.WithTimeout(w.ctx, time.Second)
		defer cancel()
		if missing := w.manager.Settle(soon); missing != 6 {
			t.Errorf("%d records are said to be missing, want 6", missing)
		}
		if n := c.set(false); n < 10 {
			t.Errorf("the disk failed %d times: this shows nothing", n)
		}
		if missing := w.manager.Settle(w.ctx); missing != 0 {
			t.Errorf("%d records are missing for good", missing)
		}
		time.Sleep(time.Second)
		if shown := c.all(); !reflect.DeepEqual(shown[len(shown)-1], w.state().Snapshot()) {
			t.Errorf("last shown %+v, want %+v", shown[len(shown)-1], w.state().Snapshot())
		}
	})
}
