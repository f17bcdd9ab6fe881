package placement

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"agentleague/engine/engines"
	"agentleague/engine/journal"
	"agentleague/engine/sim"
	"agentleague/host"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
	"agentleague/server"
	"agentleague/store"
)

// A partner is one manager of a cluster in this process.
type partner struct {
	*server.Server
	*placement
	t    *testing.T
	stop context.CancelFunc
}

// newEnv returns a new root with the default settings.
func newEnv(t testing.TB) *host.Env {
	t.Helper()
	root, err := store.Open(filepath.Join(t.TempDir(), "SHARED"), host.Games())
	if err != nil {
		t.Fatal(err)
	}
	h := &host.Env{Root: root, Net: &host.Net{Host: "localhost"}, Screen: io.Discard, Level: slog.LevelError}
	if h.System, err = root.Config().System(); err != nil {
		t.Fatal(err)
	}
	if h.League, err = root.Config().League(root.DefaultLeague()); err != nil {
		t.Fatal(err)
	}
	return h
}

// memory is an engine that has no files.
type memory struct{ *sim.Engine }

func (memory) HeldAt(string) error                    { return nil }
func (memory) KeepHead(context.Context, string) error { return nil }
func (memory) Check(context.Context, string) error    { return nil }

// sharedEngine is an engine in memory that several managers share.
func sharedEngine() engines.Choice {
	kept := sim.New(1)
	return engines.Own(true, func(_ context.Context, dir string, _ *slog.Logger) (engines.Engine, error) {
		return copied{memory{kept.Open(sim.Options{})}, dir}, nil
	})
}

// copied puts the secret into the root that the referees there show, as a mirror does.
type copied struct {
	memory
	dir string
}

func (c copied) Secret(ctx context.Context, name string) ([]byte, error) {
	secret, err := c.memory.Secret(ctx, name)
	if err == nil && name == host.SecretName {
		err = journal.CopySecret(c.dir, name, secret)
	}
	return secret, err
}

// openPartner starts a manager with its own root. It is stopped at the end of the test at the latest.
func openPartner(t *testing.T, e engines.Choice) *partner {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	c, err := open(ctx, newEnv(t), server.Options{Engine: e}, func(string) {})
	if err != nil {
		stop()
		t.Fatal(err)
	}
	p := &partner{c.server, c, t, stop}
	t.Cleanup(p.end)
	return p
}

// end has the manager leave as after an interrupt.
func (p *partner) end() {
	p.t.Helper()
	if p.stop == nil {
		return
	}
	p.Drain(p.t.Context())
	p.stop()
	p.stop = nil
	if err := p.Wait(); err != nil {
		p.t.Error(err)
	}
}

// get returns the manager's answer at a path.
func (p *partner) get(path string) (int, string) {
	p.t.Helper()
	resp, err := http.Get(p.Address() + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

// has reports whether the manager runs a league.
func (p *partner) has(id string) bool { return p.Leagues.Opened(id) != nil }

// status asks the manager for the status of a league as agents do.
func (p *partner) status(id string) string {
	p.t.Helper()
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "get_league_status",
		"params": map[string]any{"league_id": id}})
	resp, err := http.Post(p.Address()+"/mcp", "application/json", bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return string(text)
}

func TestAnyManagerOfAClusterAnswersForAllLeagues(t *testing.T) {
	t.Parallel()
	e := sharedEngine()
	a, b := openPartner(t, e), openPartner(t, e)
	for _, id := range []string{"spring", "autumn"} {
		if _, err := a.Organizer.Create(t.Context(), &protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: id}, Players: 2}, "admin"); err != nil {
			t.Fatal(err)
		}
	}
	first := a.env.League.LeagueID
	all := []string{first, "spring", "autumn"}
	for _, id := range all {
		rpctest.Eventually(t, id+" at one of them", func() bool { return a.has(id) != b.has(id) })
	}
	if slices.IndexFunc(all, a.has) < 0 || slices.IndexFunc(all, b.has) < 0 {
		t.Error("one of them has no league")
	}
	for _, p := range []*partner{a, b} {
		for _, id := range all {
			if code, text := p.get("/leagues/" + id + "/health"); code != http.StatusOK {
				t.Errorf("%s answers for %s with %d: %s", p.Address(), id, code, text)
			}
			if code, text := p.get("/leagues/" + id); code != http.StatusOK || !strings.Contains(text, id) {
				t.Errorf("%s shows %s with %d", p.Address(), id, code)
			}
			if said := p.status(id); !strings.Contains(said, fmt.Sprintf("%q", id)) || strings.Contains(said, `"error"`) {
				t.Errorf("%s says of %s: %s", p.Address(), id, said)
			}
		}
		if _, text := p.get("/api/v1/leagues"); strings.Count(text, `"league_id"`) != len(all) {
			t.Errorf("%s lists %s", p.Address(), text)
		}
		if code, _ := p.get("/leagues/winter/health"); code != http.StatusNotFound {
			t.Errorf("%s answers for a league that is not there with %d", p.Address(), code)
		}
	}
	one, errA := a.env.AdminToken()
	two, errB := b.env.AdminToken()
	if errors.Join(errA, errB) != nil || one != two {
		t.Error("they have different admin tokens")
	}
}

func TestLeaguesAreMadeOnceInACluster(t *testing.T) {
	t.Parallel()
	e := sharedEngine()
	a, b := openPartner(t, e), openPartner(t, e)
	n := func(cycles int) *protocol.CreateLeague {
		return &protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: "spring"}, Players: 2, Cycles: cycles}
	}
	if _, err := a.Organizer.Create(t.Context(), n(1), "admin"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Organizer.Create(t.Context(), n(2), "admin"); !protocol.Is(err, protocol.DuplicateName) {
		t.Errorf("the second was answered %v", err)
	}
	rpctest.Eventually(t, "the same settings at both", func() bool {
		one, errA := a.env.Leagues().Text("spring")
		two, errB := b.env.Leagues().Text("spring")
		return errors.Join(errA, errB) == nil && bytes.Equal(one, two)
	})
}

func TestALeagueThatIsOverIsWholeWithWhoeverTakesItOver(t *testing.T) {
	t.Parallel()
	e := sharedEngine()
	a, b := openPartner(t, e), openPartner(t, e)
	bots := &protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: "spring"}, Players: 2, Bots: []string{"random", "random"}}
	if _, err := a.Organizer.Create(t.Context(), bots, "admin"); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*partner{a, b} {
		rpctest.Eventually(t, "the end of the league", func() bool { return p.over("spring") })
	}
	was, other := a, b
	if _, mine, _ := b.member.Owner("spring"); mine {
		was, other = b, a
	}
	was.end()
	rpctest.Eventually(t, "a new owner", func() bool { _, mine, _ := other.member.Owner("spring"); return mine })
	if code, text := other.get("/leagues/spring/matches/R1M1"); code != http.StatusOK {
		t.Errorf("the match is shown with %d: %s", code, text)
	}
	rpctest.Eventually(t, "the record of the match in the root", func() bool {
		_, err := os.Stat(filepath.Join(other.env.DataDir(), "matches/spring/R1M1.json"))
		return err == nil
	})
}

func TestARequestWaitsForALeagueThatChangesHands(t *testing.T) {
	t.Parallel()
	e := sharedEngine()
	a, b := openPartner(t, e), openPartner(t, e)
	first := a.env.League.LeagueID
	rpctest.Eventually(t, "the first league", func() bool { return a.has(first) })
	ended := make(chan struct{})
	go func() { defer close(ended); a.end() }()
	for moved := false; !moved; {
		select {
		case <-ended:
			moved = true
		default:
		}
		if code, text := b.get("/leagues/" + first + "/health"); code != http.StatusOK {
			t.Errorf("answered %d: %s", code, text)
		}
	}
	if !b.has(first) {
		t.Error("the other does not have it")
	}
}

func TestARootThatWasUsedWithoutTheClusterIsRefused(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	if _, err := h.AdminToken(); err != nil {
		t.Fatal(err)
	}
	_, err := open(t.Context(), h, server.Options{Engine: sharedEngine()}, func(string) {})
	if !errors.Is(err, store.ErrOtherAdmin) || !strings.Contains(err.Error(), "Remove data/admin.token") {
		t.Errorf("got %v", err)
	}
}

func TestBuiltInAgentsPlayOnWithTheNextManager(t *testing.T) {
	t.Parallel()
	e := sharedEngine()
	a, b := openPartner(t, e), openPartner(t, e)
	bots := &protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: "spring"}, Players: 4, Cycles: 20,
		Bots: []string{"random", "random", "random", "random"}}
	if _, err := a.Organizer.Create(t.Context(), bots, "admin"); err != nil {
		t.Fatal(err)
	}
	rpctest.Eventually(t, "the league", func() bool { return a.has("spring") || b.has("spring") })
	was, other := a, b
	if b.has("spring") {
		was, other = b, a
	}
	played := func(p *partner) (n int) {
		if l := p.Leagues.Opened("spring"); l != nil {
			l.Manager.Read(func(s *league.State) { n = s.Recorded })
		}
		return n
	}
	rpctest.Eventually(t, "a result", func() bool { return played(was) > 0 })
	was.end()
	rpctest.Eventually(t, "the end of the league", func() bool { return other.over("spring") })
	l, err := other.Leagues.Visit("spring")
	if err != nil {
		t.Fatal(err)
	}
	l.Manager.Read(func(s *league.State) {
		if s.Recorded != 120 || len(s.Roster(protocol.RolePlayer)) != 4 {
			t.Errorf("%d matches of %d players are recorded, want 120 of 4", s.Recorded, len(s.Roster(protocol.RolePlayer)))
		}
		for _, m := range s.Matches {
			if len(m.Outcome.Result.Forfeits) > 0 {
				t.Errorf("%s was forfeited by %v", m.ID, m.Outcome.Result.Forfeits)
			}
		}
	})
}

// handedOn has a manager play and list a league, and hand it over to another, where it ends soon.
func handedOn(t *testing.T) (a, b *partner, listed func() string) {
	t.Helper()
	e := sharedEngine()
	a = openPartner(t, e)
	bots := &protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: "spring"}, Players: 4, Cycles: 20,
		Bots: []string{"random", "random", "random", "random"}}
	if _, err := a.Organizer.Create(t.Context(), bots, "admin"); err != nil {
		t.Fatal(err)
	}
	listed = func() string {
		_, text := a.get("/api/v1/leagues?q=spring")
		return text
	}
	rpctest.Eventually(t, "a result in the list", func() bool { return regexp.MustCompile(`"matches_recorded":[1-9]`).MatchString(listed()) })
	b = openPartner(t, e) // gets half of the leagues: the youngest
	rpctest.Eventually(t, "the handover", func() bool { return b.has("spring") && !a.has("spring") })
	return a, b, listed
}

// A manager that has handed a league over lists its current state at the new owner.
func TestALeagueThatWasHandedOnIsListedAsItIs(t *testing.T) {
	t.Parallel()
	_, b, listed := handedOn(t)
	listed() // while it is played there
	rpctest.Eventually(t, "the end of the league", func() bool { return b.over("spring") })
	rpctest.Eventually(t, "the end in the list of the first", func() bool {
		return strings.Contains(listed(), `"state":"LEAGUE_COMPLETED"`) && strings.Contains(listed(), `"matches_recorded":120`)
	})
}

// A league that returns after its end is not opened, and listed as completed.
func TestALeagueThatComesBackAfterItsEndIsListedAsOver(t *testing.T) {
	t.Parallel()
	a, b, listed := handedOn(t)
	rpctest.Eventually(t, "the end of the league", func() bool { return b.over("spring") })
	b.end()
	rpctest.Eventually(t, "its return", func() bool { _, mine, _ := a.member.Owner("spring"); return mine })
	if text := listed(); !strings.Contains(text, `"state":"LEAGUE_COMPLETED"`) || !strings.Contains(text, `"matches_recorded":120`) {
		t.Errorf("it is listed as %s", text)
	}
}

// A league that one manager puts away is put away everywhere, until any of them brings it back.
func TestALeagueIsArchivedInTheWholeCluster(t *testing.T) {
	t.Parallel()
	e := sharedEngine()
	a, b := openPartner(t, e), openPartner(t, e)
	n := &protocol.CreateLeague{Envelope: protocol.Envelope{LeagueID: "spring"}, Players: 2}
	if _, err := a.Organizer.Create(t.Context(), n, "admin"); err != nil {
		t.Fatal(err)
	}
	rpctest.Eventually(t, "the league", func() bool { return a.has("spring") || b.has("spring") })
	owner := a
	if b.has("spring") {
		owner = b
	}
	for _, back := range []bool{false, true} {
		if err := owner.Organizer.Archive(t.Context(), "spring", back, "admin"); err != nil {
			t.Fatal(err)
		}
		for _, p := range []*partner{a, b} {
			rpctest.Eventually(t, "the word at each", func() bool { return p.Leagues.Archived("spring") != back })
			if _, text := p.get("/api/v1/leagues"); strings.Contains(text, `"spring"`) != back {
				t.Errorf("brought back: %v; %s lists %s", back, p.Address(), text)
			}
		}
	}
	if !owner.has("spring") {
		rpctest.Eventually(t, "the league again", func() bool { return a.has("spring") || b.has("spring") })
	}
}

func TestAManagerThatLosesItsClusterIsNotReady(t *testing.T) {
	t.Parallel()
	var gone atomic.Bool
	disk := sim.New(1)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	h := newEnv(t)
	c, err := Open(ctx, h, server.Options{Engine: engines.Own(true, func(context.Context, string, *slog.Logger) (engines.Engine, error) {
		return memory{disk.Open(sim.Options{Fault: func(string) sim.Fault {
			if gone.Load() {
				return sim.FailBefore
			}
			return sim.None
		}})}, nil
	})}, func(string) {})
	if err != nil {
		stop()
		t.Fatal(err)
	}
	defer func() {
		gone.Store(false)
		stop()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}()
	p := &partner{Server: c, t: t}
	for _, away := range []bool{false, true, false} {
		gone.Store(away)
		rpctest.Eventually(t, "the cluster", func() bool {
			status, body := p.get("/readyz")
			return !away && status == http.StatusOK ||
				away && strings.Contains(body, "cluster: this manager does not reach the engine; the others take its leagues over\n")
		})
		// Another manager may have the league by then, so that this one must not answer from its memory.
		status, body := p.get("/leagues/" + h.League.LeagueID)
		if want := map[bool]int{false: http.StatusOK, true: http.StatusServiceUnavailable}[away]; status != want {
			t.Errorf("away %v: status %d, want %d: %s", away, status, want, body)
		}
	}
}
