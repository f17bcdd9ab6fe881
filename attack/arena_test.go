package attack_test

import (
	"cmp"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentleague/engine"
	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
	"agentleague/store"
)

const leagueID = "league_2025_even_odd"

// An arena is a league whose manager is a process, with its participants.
type arena struct {
	t       *testing.T
	strict  bool
	root    string
	url     string // of the manager
	manager *process
	judges  []*process // the organiser's referees

	cast map[string]any // values that a scene has prepared for its attacks, by name
}

// Settings are how an arena differs from the usual one.
type settings struct {
	cycles  int
	timeout string
	pace    string // the rest between two rounds; "": none
	invited bool   // only invited agents may join
	bots    int    // players that the manager's process runs itself
	tokens  int    // token_length; 0: the default
	seasons int    // that the same agents play; 0: one
}

// newArena starts a manager that waits for the order to start.
func newArena(t *testing.T, strict bool, s settings) *arena {
	t.Helper()
	a := &arena{t: t, strict: strict, root: t.TempDir(), cast: map[string]any{}}
	bots := ""
	if s.bots > 0 {
		bots = fmt.Sprintf(`,"house":{"players":["random"%s],"referees":0}`, strings.Repeat(`,"random"`, s.bots-1))
	}
	a.write("config/leagues/"+leagueID+".json",
		fmt.Sprintf(
			`{"schema_version":"1.0.0","league_id":%q,"display_name":"Under attack","game_type":"even_odd","status":"ACTIVE",
 "scoring":{"win_points":3,"draw_points":1,"loss_points":0,"technical_loss_points":0},
 "participants":{"min_players":2,"max_players":10000,"min_referees":1,"max_referees":1000},
 "schedule":{"format":"round_robin","cycles":%d},"seasons":%d%s}`, leagueID, max(s.cycles, 1), max(s.seasons, 1), bots))
	wait := cmp.Or(s.timeout, "20")
	a.write("config/system.json",
		fmt.Sprintf(`{"default_league_id":%q,"timeouts":{"move_timeout_sec":%s,"game_join_ack_timeout_sec":%s},
 "retry_policy":{"max_retries":1,"initial_delay_sec":0.1,"max_delay_sec":0.1},
 "security":{"token_length":%d}}`, leagueID, wait, wait, cmp.Or(s.tokens, 32)))
	var more []string
	if s.invited {
		more = append(more, "--invited-only")
	}
	a.manages(0, append(more, "--pace", cmp.Or(s.pace, "0s"))...)
	return a
}

// manages starts the manager of the arena's root at a port, 0 for a free one.
func (a *arena) manages(port int, more ...string) {
	a.t.Helper()
	args := a.flags("manager", "--root", a.root, "--port", fmt.Sprint(port), "--start-after", "1h", "--late", "1")
	a.manager = start(a.t, append(args, more...)...)
	rpctest.Eventually(a.t, "the manager's address", func() bool {
		_, rest, ok := strings.Cut(a.manager.said(), "manager of "+leagueID+" at ")
		a.url, _, _ = strings.Cut(rest, "\n")
		return ok && strings.Contains(rest, "\n")
	})
}

func (a *arena) flags(args ...string) []string {
	if a.strict {
		args = append(args, "--strict")
	}
	return args
}

func (a *arena) write(name, text string) {
	a.t.Helper()
	path := filepath.Join(a.root, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		a.t.Fatal(err)
	}
}

// referee starts one of the organiser's referees and waits until it is in the league.
func (a *arena) referee(name string, more ...string) *process {
	a.t.Helper()
	p := start(a.t,
		a.flags(append([]string{"referee", "--root", a.root, "--port", "0", "--manager", a.url, "--name", name},
			more...)...)...)
	p.says("registered with")
	a.judges = append(a.judges, p)
	return p
}

// player starts a native player at a port, 0 for a free one, and waits until it is in the league.
func (a *arena) player(name string, port int, more ...string) *process {
	a.t.Helper()
	p := a.playerComes(name, port, more...)
	p.says("registered with")
	return p
}

func (a *arena) playerComes(name string, port int, more ...string) *process {
	a.t.Helper()
	return start(a.t,
		a.flags(append([]string{"player", "--root", a.root, "--port", fmt.Sprint(port), "--manager", a.url, "--name", name},
			more...)...)...)
}

// state folds the journal, which is in use.
func (a *arena) state() *league.State {
	a.t.Helper()
	return a.stateOf(leagueID)
}

// stateOf folds the journal of a league or season of the arena's root.
func (a *arena) stateOf(id string) *league.State {
	a.t.Helper()
	s, err := league.Fold(func(yield func(engine.Entry, error) bool) {
		for e, err := range journal.ReadFile(journal.Path(filepath.Join(a.root, "data"), id)) {
			if errors.Is(err, fs.ErrNotExist) || !yield(e, err) {
				return
			}
		}
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return s
}

// agent finds an agent of the league by its role and name.
func (a *arena) agent(role protocol.Role, name string) *league.Agent {
	a.t.Helper()
	s := a.state()
	for _, found := range s.Roster(role) {
		if found.Name == name {
			return found
		}
	}
	a.t.Fatalf("no %s is called %q", role, name)
	return nil
}

// kept is the content of a native agent's file and the values derived from it, for attackers that steal it.
type kept struct {
	store.Identity
	store.Place
	Token string // T
}

// identity returns the content of a native agent's own file.
func (a *arena) identity(name string) (found kept) {
	a.t.Helper()
	names, _ := filepath.Glob(filepath.Join(a.root, "data", "identities", "*", "*.json"))
	for _, file := range names {
		text, err := os.ReadFile(file)
		if found.Identity = (store.Identity{}); err != nil || json.Unmarshal(text, &found.Identity) != nil ||
			found.DisplayName != name || len(found.Places) == 0 {
			continue
		}
		found.Place = found.Places[len(found.Places)-1]
		seed, _ := hex.DecodeString(found.PrivateKey)
		key := protocol.AgreementKey(seed)
		found.Token, err = protocol.Agreement{
			League: found.LeagueID, Seal: found.Seal, Role: found.Role, ID: found.ID, Epoch: found.Epoch,
			ManagerKey: found.ManagerKey, PublicKey: protocol.PublicKey(ed25519.NewKeyFromSeed(seed)),
			AgreementKey: protocol.AgreementPublic(key),
		}.Token(key, found.ManagerKey)
		if err != nil {
			a.t.Fatal(err)
		}
		return found
	}
	a.t.Fatalf("the identity of %s is not kept in %q", name, names)
	return found
}

func (a *arena) idOf(name string) string {
	a.t.Helper()
	return a.agent(protocol.RolePlayer, name).ID
}

// start gives the order to start.
func (a *arena) start() {
	a.t.Helper()
	if said, status := run(a.t, "start", "--root", a.root, "--manager", a.url); status != 0 {
		a.t.Fatalf("league start: %s", said)
	}
}

// finish waits for the end of the league, and compares the exit status of `league verify` with the expected one.
func (a *arena) finish(verify int) *league.State {
	a.t.Helper()
	rpctest.Eventually(a.t, "the end of the league", func() bool { return a.state().Completed() })
	a.verify(verify)
	return a.state()
}

// verify compares the exit status of `league verify` with the expected one, once the manager has written its files.
func (a *arena) verify(want int) {
	a.t.Helper()
	var said string
	var status int
	rpctest.Eventually(a.t, "files that are up to date", func() bool {
		said, status = run(a.t, "verify", "--root", a.root)
		return status == want || !strings.Contains(said, "a running manager brings it up to date")
	})
	if status != want {
		a.t.Errorf("league verify ends with %d, want %d:\n%s", status, want, said)
	}
}

// told returns the text that the organiser can read: the output of the manager and of its referees, and the league's
// log.
func (a *arena) told() string {
	log, _ := os.ReadFile(filepath.Join(a.root, "logs", "league", leagueID, "league.log.jsonl"))
	said := a.manager.said() + string(log)
	for _, p := range a.judges {
		said += p.said()
	}
	return said
}

// warns waits until the organizer can read a warning at the manager's terminal, in `league status` and on the page.
func (a *arena) warns(want string) {
	a.t.Helper()
	a.warnsIn(leagueID, want)
}

// warnsIn is warns for a league or season of the arena's manager.
func (a *arena) warnsIn(league, want string) {
	a.t.Helper()
	a.manager.says(want)
	said, status := run(a.t, "status", "--root", a.root, "--manager", a.url, "--league-id", league)
	if status != 0 || !strings.Contains(said, want) {
		a.t.Errorf("league status ends with %d and does not show %q:\n%s", status, want, said)
	}
	if text := a.managePage(league); !strings.Contains(text, want) {
		a.t.Errorf("the page does not show %q:\n%s", want, text)
	}
}

// managePage is the page "Manage" of a league as the organizer reads it.
func (a *arena) managePage(league string) string {
	a.t.Helper()
	at := strings.TrimSuffix(a.url, "/mcp") + "/leagues/" + league + "/run"
	req, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, at, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+a.admin())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		a.t.Fatalf("%s: %s, %v", at, resp.Status, err)
	}
	return html.UnescapeString(string(text))
}

// roster returns one line for each participant of the league, with its address.
func (a *arena) roster() (out []string) {
	s := a.state()
	for _, role := range []protocol.Role{protocol.RolePlayer, protocol.RoleReferee} {
		for _, r := range s.Roster(role) {
			out = append(out, fmt.Sprintf("%s %s %q at %s, key %.8s, organiser's %v, displaced %q", r.Role, r.ID, r.Name,
				r.Place, r.Key, r.Organiser, r.Displaced))
		}
	}
	slices.Sort(out)
	return out
}
