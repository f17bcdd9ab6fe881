//go:build !windows

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
	"agentleague/store"
)

// A admin gives orders to a manager process, as the admin of its root.
type admin struct {
	t             *testing.T
	root, manager string
	node          *rpc.Node
}

func newAdmin(t *testing.T, root, manager string) *admin {
	return &admin{t, root, manager, rpc.NewNode("admin:test", rpc.Options{})}
}

func (a *admin) give(m protocol.Message) (*protocol.LeagueControlAck, error) {
	token, err := os.ReadFile(filepath.Join(a.root, "data/admin.token"))
	if err != nil {
		a.t.Fatal(err)
	}
	m.Head().AuthToken, m.Head().ConversationID = strings.TrimSpace(string(token)), "conv-admin"
	ctx, cancel := context.WithCancel(a.t.Context())
	defer cancel()
	reply, err := a.node.Call(ctx, rpc.Peer{Endpoint: a.manager, Dialect: protocol.Canonical}, m)
	ack, _ := reply.(*protocol.LeagueControlAck)
	return ack, err
}

func (a *admin) create(id string, n protocol.CreateLeague) (*protocol.LeagueControlAck, error) {
	n.MessageType, n.LeagueID = protocol.TypeCreateLeague, id
	return a.give(&n)
}

// mustCreate makes a league of built-in players.
func (a *admin) mustCreate(id string, cycles, players int) {
	a.t.Helper()
	bots := slices.Repeat([]string{"random"}, players)
	if _, err := a.create(id, protocol.CreateLeague{Players: players, Referees: 1, Cycles: cycles, Bots: bots}); err != nil {
		a.t.Fatalf("%s: %v", id, err)
	}
}

// foldedOf returns the state of a league from its journal.
func foldedOf(t *testing.T, root, id string) *league.State {
	t.Helper()
	s, err := league.Fold(store.Entries(journal.Path(filepath.Join(root, "data"), id)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustVerify(t *testing.T, root string, ids ...string) {
	t.Helper()
	for _, id := range ids {
		p := start(t, "verify", "--root", root, "--league-id", id)
		if status := p.status(); status != 0 {
			t.Errorf("%s: status %d: %s", id, status, p.out.String())
		}
	}
}

// Two leagues of one manager are played concurrently. The manager is killed and later interrupted, and each time all of
// its state is restored.
func TestLongLeaguesOfOneManagerSurviveItsDeath(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	args := []string{"manager", "--root", root, "--port", "0", "--start-after", "1h"}
	p := start(t, args...)
	a := newAdmin(t, root, p.endpoint())
	both := []string{"spring", "autumn"}
	for _, id := range both {
		a.mustCreate(id, 12, 6) // 180 matches each
	}
	played := func(least int) func() bool {
		return func() bool {
			return !slices.ContainsFunc(both, func(id string) bool { return foldedOf(t, root, id).Recorded < least })
		}
	}
	rpctest.Eventually(t, "results in both", played(5))
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.status()
	before := map[string]*league.State{}
	for _, id := range both {
		if before[id] = foldedOf(t, root, id); before[id].Completed() {
			t.Logf("%s was over before the kill", id)
		}
	}
	p = start(t, args...)
	p.endpoint()
	p.says("It also runs spring at http://localhost:")
	p.says("It also runs autumn at http://localhost:")
	rpctest.Eventually(t, "more results", played(30))
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := p.status(); status != 0 {
		t.Errorf("status %d after SIGTERM, want 0", status)
	}
	for _, id := range both {
		if s := foldedOf(t, root, id); !s.Completed() && !slices.ContainsFunc(s.Orders, func(o league.Order) bool { return o.What == "drain" && strings.Contains(o.By, "interrupt") }) {
			t.Errorf("%s was not drained: %+v", id, s.Orders)
		}
	}
	p = start(t, args...)
	manager := p.endpoint()
	rpctest.Eventually(t, "both are over", func() bool {
		return !slices.ContainsFunc(both, func(id string) bool {
			s := foldedOf(t, root, id)
			return !s.Completed() || !s.Announced[league.Announced{What: "league"}]
		})
	})
	secrets := map[string]string{}
	for _, id := range both {
		s := foldedOf(t, root, id)
		if s.Recorded != 180 || len(s.Players()) != 6 || len(s.Agents) != 7 || s.Created.By != "admin via test 127.0.0.1" {
			t.Errorf("%s: %d results, %q, %d agents, made by %q", id, s.Recorded, s.Players(), len(s.Agents), s.Created.By)
		}
		checkKept(t, before[id], s)
		secrets[s.DrawSecret] = id
		for match, m := range s.Matches {
			for player, code := range m.Outcome.Result.Forfeits {
				t.Errorf("%s, %s: %s lost by %s", id, match, player, code)
			}
		}
	}
	if len(secrets) != 2 {
		t.Errorf("%d draw secrets, want one each", len(secrets))
	}
	rpctest.Eventually(t, "the last tables", func() bool { // they are written a moment after the end
		kept, err := store.Open(root, host.Games())
		return err == nil && !slices.ContainsFunc(both, func(id string) bool { return !store.IsOver(kept, id) })
	})
	mustVerify(t, root, both...)
	var table struct {
		League string `json:"league_id"`
	}
	once(t, &table, "standings", "--root", root, "--manager", manager, "--league-id", "autumn")
	if table.League != "autumn" {
		t.Errorf("got the table of %q", table.League)
	}
}

// Fifty small leagues on one manager are all played to their end. When it starts
// again they are there to be read, and nothing is written of that.
func TestLongFiftyLeaguesOnOneManager(t *testing.T) {
	t.Parallel()
	const many = 50
	root := t.TempDir()
	p := start(t, "manager", "--root", root, "--port", "0", "--start-after", "1h")
	a := newAdmin(t, root, p.endpoint())
	var ids []string
	for n := range many {
		ids = append(ids, fmt.Sprintf("small-%02d", (n*37)%many)) // not in the order of their names
		a.mustCreate(ids[n], 1, 2)
	}
	kept := a.open()
	rpctest.Eventually(t, "all are over", func() bool {
		return !slices.ContainsFunc(ids, func(id string) bool { return !store.IsOver(kept, id) })
	})
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.status()
	before := a.journals(ids)
	p = start(t, "manager", "--root", root, "--port", "0", "--start-after", "1h")
	a.manager = p.endpoint()
	for _, id := range ids[:3] {
		if got := a.get("/leagues/" + id + "/health"); !strings.Contains(got, "healthy") {
			t.Errorf("%s: %s", id, got)
		}
		var table struct {
			Standings []protocol.Standing `json:"standings"`
		}
		once(t, &table, "standings", "--root", root, "--manager", a.manager, "--league-id", id)
		if len(table.Standings) != 2 || table.Standings[0].Played != 1 {
			t.Errorf("%s: got %+v", id, table)
		}
	}
	if after := a.journals(ids); !slices.Equal(before, after) {
		t.Error("leagues that are over were written to when they were read")
	}
	if strings.Contains(p.errs.String(), "It also runs") {
		t.Errorf("leagues that are over were opened at the start:\n%s", p.errs.String())
	}
	mustVerify(t, root, ids[0], ids[many-1])
	page := a.get("/")
	at := -1
	for _, id := range ids { // in the order of their creation
		next := strings.Index(page, "/leagues/"+id)
		if next <= at {
			t.Fatalf("%s is listed at %d, after what is at %d", id, next, at)
		}
		at = next
	}
}

// Of many concurrent creations with the same name one succeeds, and the manager continues under other requests.
func TestOneNameIsGivenOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	p := start(t, "manager", "--root", root, "--port", "0", "--start-after", "1h")
	a := newAdmin(t, root, p.endpoint())
	var wg sync.WaitGroup
	var mu sync.Mutex
	var made, named []string
	turn := make(chan struct{}, 8) // creating a league takes a moment, and a caller waits for at most ten seconds
	for n := range 20 {
		wg.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			id := []string{"spring", ""}[n%2]
			ack, err := a.create(id, protocol.CreateLeague{})
			var refusal *protocol.Refusal
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && id == "":
				named = append(named, ack.LeagueID)
			case err == nil:
				made = append(made, ack.LeagueID)
			case !errors.As(err, &refusal) || refusal.Name != protocol.DuplicateName.Name:
				t.Errorf("%q: %v", id, err)
			}
		})
	}
	wg.Wait()
	slices.Sort(named)
	if len(made) != 1 || len(slices.Compact(named)) != 10 {
		t.Errorf("made %q and %q", made, named)
	}
	for _, id := range named {
		if !strings.HasPrefix(id, "even_odd_20") || foldedOf(t, root, id).Created.LeagueID != id {
			t.Errorf("%q is called so", id)
		}
	}
}

// A league that cannot be read does not prevent others from playing, nor does one that was never started.
func TestDamagedLeagueLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	args := []string{"manager", "--root", root, "--port", "0", "--start-after", "1h"}
	p := start(t, args...)
	a := newAdmin(t, root, p.endpoint())
	for _, id := range []string{"sound", "broken", "unborn"} {
		if _, err := a.create(id, protocol.CreateLeague{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.status()
	path := journal.Path(filepath.Join(root, "data"), "broken")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(path, bytes.Replace(text, []byte("even_odd"), []byte("odd_even"), 1), 0o644),
		os.RemoveAll(filepath.Join(root, "data/leagues/unborn"))); err != nil { // as after a kill between its settings and its journal
		t.Fatal(err)
	}
	p = start(t, args...)
	a.manager = p.endpoint()
	p.says("It also runs sound at")
	p.says("It also runs unborn at")
	p.says("a league cannot be opened; the others are played")
	if got := a.get("/leagues/broken/health"); !strings.Contains(got, `503 the league "broken" cannot be opened`) {
		t.Errorf("got %s", got)
	}
	if _, err := a.give(&protocol.Tool{Envelope: protocol.Envelope{MessageType: protocol.TypePauseLeague, LeagueID: "sound"}}); err != nil {
		t.Error(err)
	}
}

// open opens the root, as another process would.
func (a *admin) open() *store.Root {
	a.t.Helper()
	root, err := store.Open(a.root, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	return root
}

// journals are the bytes of the journals of leagues.
func (a *admin) journals(ids []string) (out []string) {
	a.t.Helper()
	for _, id := range ids {
		text, err := os.ReadFile(journal.Path(filepath.Join(a.root, "data"), id))
		if err != nil {
			a.t.Fatal(err)
		}
		out = append(out, string(text))
	}
	return out
}

// get asks the manager for a path and returns the answer, after its status if that is not 200.
func (a *admin) get(path string) string {
	a.t.Helper()
	resp, err := http.Get(strings.TrimSuffix(a.manager, "/mcp") + path)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Sprintf("%d %s", resp.StatusCode, body)
	}
	return string(body)
}
