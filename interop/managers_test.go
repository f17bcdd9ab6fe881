package interop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"agentleague/game/catalog"
	"agentleague/interop/foreign"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// TestOursPlayUnderForeignManagers registers a referee and two players of ours with managers of every kind, which
// understand only their own dialect.
func TestOursPlayUnderForeignManagers(t *testing.T) {
	t.Parallel()
	kinds := foreign.ManagerKinds()
	together(t, kinds, len(kinds), func(k foreign.ManagerKind) string { return k.Name }, playFor)
}

func playFor(t *testing.T, kind foreign.ManagerKind) {
	playWith(t, kind, func(*foreign.Manager) {})
}

// playWith plays a league of a foreign manager, and calls look before our agents end.
func playWith(t *testing.T, kind foreign.ManagerKind, look func(m *foreign.Manager)) {
	m, err := foreign.NewManager(kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	ctx, stop := context.WithTimeout(t.Context(), 2*patience)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	refereeFor(ctx, t, m)
	playersFor(ctx, t, &running, m)
	look(m)
}

// refereeFor registers a referee of ours with a manager. It ends with ctx, and the test waits for that.
func refereeFor(ctx context.Context, t *testing.T, m *foreign.Manager) {
	t.Helper()
	r := referee.New(ctx, "Referee", catalog.Lookup, referee.Options{
		Policy: policy, Options: rpc.Options{Logger: diary(t, m)},
	})
	s := take(t)
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.Serve(ctx, r.Node) })
	t.Cleanup(func() {
		r.Wait()
		serving.Wait()
	})
	if err := registering(ctx, func(ctx context.Context) error {
		return r.Register(ctx, m.Endpoint(), s.URL())
	}); err != nil {
		t.Fatalf("our referee: %v", err)
	}
}

// kindNamed returns the foreign manager of a name.
func kindNamed(t *testing.T, name string) foreign.ManagerKind {
	t.Helper()
	kinds := foreign.ManagerKinds()
	i := slices.IndexFunc(kinds, func(k foreign.ManagerKind) bool { return k.Name == name })
	if i < 0 {
		t.Fatalf("no manager is called %q", name)
	}
	return kinds[i]
}

// This one counts every report that it gets, and never takes a match from its list.
func TestForeignManagerThatListsAMatchForEverGetsOneReport(t *testing.T) {
	t.Parallel()
	playWith(t, kindNamed(t, "get_assigned_matches by id"), func(m *foreign.Manager) {
		polls := m.Polls()
		rpctest.Eventually(t, "our referee asks for matches", func() bool { return m.Polls() >= polls+3 })
		for match, n := range m.Times() {
			if n != 1 {
				t.Errorf("%s was reported %d times, want once", match, n)
			}
		}
	})
}

// Both of our players make the same choice, so that every match is a draw. The first one is reported with a null
// winner.
func TestForeignManagerThatWantsAWordForADrawGetsIt(t *testing.T) {
	t.Parallel()
	playWith(t, kindNamed(t, "A of a word"), func(m *foreign.Manager) {
		for _, id := range []string{"P01", "P02"} {
			if got := m.Draws(id); got != 1 {
				t.Errorf("%s: %d draws are counted, want that of the second match", id, got)
			}
		}
	})
}

// The players of this manager take bare messages, as it does, and acknowledge everything else without reading it.
func TestOurRefereeSpeaksToPlayersAsTheirManagerDoes(t *testing.T) {
	t.Parallel()
	m, err := foreign.NewManager(kindNamed(t, "F"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	ctx, stop := context.WithTimeout(t.Context(), 2*patience)
	defer stop()
	refereeFor(ctx, t, m)
	for _, name := range []string{"Alpha", "Beta"} {
		kind := named("F")[0]
		kind.Name, kind.Refuses, kind.Ack = name, foreign.RefuseNod, "acknowledged"
		p, err := foreign.NewPlayer(kind)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		if err := p.Register(ctx, m.Endpoint()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			for _, h := range p.Heard() {
				if h.Refused && h.Kind == foreign.Invitation {
					t.Errorf("%s was invited in a form that it does not read: %.200s", name, h.Body)
				}
			}
		})
	}
	<-m.Done()
	for match, report := range m.Reports() {
		if !proper(report) {
			t.Errorf("%s: %v", match, report)
		}
	}
	if got := len(m.Reports()); got != 2 {
		t.Errorf("%d matches were reported, want 2", got)
	}
}

// diary is a log that a test shows when it fails, together with the requests that a manager has received.
func diary(t *testing.T, m *foreign.Manager) *slog.Logger {
	var mu sync.Mutex
	var text bytes.Buffer
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		if t.Failed() {
			t.Logf("%s", text.Bytes())
			for _, h := range m.Heard() {
				t.Logf("%d %.300s", h.Status, h.Body)
			}
		}
	})
	return slog.New(slog.NewTextHandler(writerFunc(func(b []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return text.Write(b)
	}), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

type writerFunc func(b []byte) (int, error)

func (w writerFunc) Write(b []byte) (int, error) { return w(b) }

// TestOurPlayersPlayAmongForeigners registers two players of ours with a foreign manager that has a foreign referee of
// the same kind.
func TestOurPlayersPlayAmongForeigners(t *testing.T) {
	t.Parallel()
	together(t, foreign.Starts(), 8, func(s foreign.Start) string {
		return string(s)
	}, func(t *testing.T, start foreign.Start) {
		m, r, err := foreign.Abroad(t.Context(), start)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Close)
		t.Cleanup(r.Close)
		ctx, stop := context.WithTimeout(t.Context(), 2*patience)
		var running sync.WaitGroup
		defer running.Wait()
		defer stop()
		playersFor(ctx, t, &running, m)
		for _, failure := range r.Failures() {
			t.Error(failure)
		}
	})
}

// playersFor registers two players of ours with a manager and sees its league to the end.
func playersFor(ctx context.Context, t *testing.T, running *sync.WaitGroup, m *foreign.Manager) {
	t.Helper()
	var ours []*player.Agent
	for _, name := range []string{"Alpha", "Beta"} {
		a := player.New(name, player.Alternate(), player.Options{})
		ours = append(ours, a)
		s := take(t)
		running.Go(func() { _ = s.Serve(ctx, a.Node) })
		if err := registering(ctx, func(ctx context.Context) error {
			return a.Register(ctx, m.Endpoint(), s.URL())
		}); err != nil {
			t.Errorf("our player: %v", err)
			return
		}
	}
	select {
	case <-m.Done():
	case <-ctx.Done():
		t.Error("the league is not over")
	}
	for _, failure := range m.Failures() {
		t.Error(failure)
	}
	for match, report := range m.Reports() {
		if !proper(report) {
			t.Errorf("%s: %v", match, report)
		}
	}
	if got := len(m.Reports()); got != 2 {
		t.Errorf("%d matches were reported, want 2", got)
	}
	for _, a := range ours {
		for _, played := range a.History() { // both choose alike
			if played.Result != protocol.Draw || played.PointsEarned != protocol.DefaultScoring.Draw {
				t.Errorf("%s remembers %s as %q with %d points, want a draw", a.ID(), played.MatchID, played.Result, played.PointsEarned)
			}
		}
	}
}

// registering gives a registration enough time for a busy machine, including the search for a form; without a limit it
// would be retried for ever.
func registering(ctx context.Context, register func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return register(ctx)
}

// proper reports whether a report is about a match that was played: a number was drawn.
func proper(report map[string]any) bool {
	raw, _ := json.Marshal(report)
	var r struct {
		Result struct {
			Details struct {
				DrawnNumber int `json:"drawn_number"`
				Choices     map[string]string
			}
		}
	}
	return json.Unmarshal(raw, &r) == nil && r.Result.Details.DrawnNumber > 0 && len(r.Result.Details.Choices) == 2
}
