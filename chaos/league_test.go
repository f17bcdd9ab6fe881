//go:build !windows

package chaos_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
	"agentleague/store"
)

const leagueID = "league_2025_even_odd"

// A season is a league of real processes on one root.
type season struct {
	t       *testing.T
	root    string
	url     string // of the manager
	manager *agent
	agents  []*agent // the manager too
}

// newSeason starts a league in which each pair meets `cycles` times, with a pause between rounds.
func newSeason(t *testing.T, rng *rand.Rand, referees, players, cycles int, pace time.Duration) *season {
	t.Helper()
	s := openSeason(t, rng, referees, players, cycles, pace)
	for n := range players {
		id := protocol.AgentID(protocol.RolePlayer, n+1)
		s.add(id, "player", "--root", s.root, "--port", port(), "--manager", s.url, "--id", id, "--name", "Agent "+id)
	}
	return s
}

// openSeason is newSeason without players. More are members of the league's configuration.
func openSeason(t *testing.T, rng *rand.Rand, referees, players, cycles int, pace time.Duration,
	more ...string) *season {
	t.Helper()
	s := &season{t: t, root: t.TempDir()}
	s.configure(cycles, more...)
	at := port()
	s.url = "http://localhost:" + at + "/mcp"
	s.manager = s.add("manager", "manager", "--root", s.root, "--port", at, "--start-when",
		fmt.Sprintf("players=%d,referees=%d", players, referees), "--pace", pace.String())
	for n := range referees {
		id := protocol.AgentID(protocol.RoleReferee, n+1)
		s.add(id, "referee", "--root", s.root, "--port", port(), "--manager", s.url, "--id", id, "--name", "Referee "+id,
			"--max-matches", "4")
	}
	return s
}

func (s *season) add(name string, args ...string) *agent {
	a := newAgent(s.t, name, args...)
	s.agents = append(s.agents, a)
	return a
}

// configure sets the number of cycles, and that frequent kills do not exclude an agent.
func (s *season) configure(cycles int, more ...string) {
	s.t.Helper()
	path := filepath.Join(s.root, "config", "leagues", leagueID+".json")
	schedule := fmt.Sprintf(`"schedule":{"format":"round_robin","cycles":%d}`, cycles)
	if len(more) > 0 && strings.HasPrefix(more[0], `"schedule"`) {
		schedule, more = more[0], more[1:]
	}
	text := fmt.Sprintf(
		`{"schema_version":"1.0.0","league_id":%q,"display_name":"Chaos","game_type":"even_odd","status":"ACTIVE",
 "scoring":{"win_points":3,"draw_points":1,"loss_points":0,"technical_loss_points":0},
 "participants":{"min_players":2,"max_players":10000,"min_referees":1,"max_referees":1000},
 %s%s}`, leagueID, schedule,
		strings.Join(append([]string{""}, more...), ","))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		s.t.Fatal(err)
	}
}

// state folds the log of the league of a root, which may be in use.
func state(root string) (*league.State, error) { return stateOf(root, leagueID) }

// stateOf folds the log of one of the leagues of a root.
func stateOf(root, id string) (*league.State, error) {
	return league.Fold(func(yield func(engine.Entry, error) bool) {
		for e, err := range journal.ReadFile(journal.Path(filepath.Join(root, "data"), id)) {
			if errors.Is(err, fs.ErrNotExist) || !yield(e, err) {
				return
			}
		}
	})
}

// recorded is how many results the journal has, or -1 while it cannot be read.
func recorded(root string) int {
	if s, err := state(root); err == nil {
		return s.Recorded
	}
	return -1
}

func over(root string) bool {
	s, err := state(root)
	return err == nil && s.Completed()
}

// finish waits until the league is over and its table and records are written. Players that have left are not called
// back.
func (s *season) finish() {
	s.t.Helper()
	rpctest.Until(s.t, "the end of the league", func() (results int, end bool) { return recorded(s.root), over(s.root) })
	rpctest.Eventually(s.t, "the table and the records", func() bool { return len(laws(s.root)) == 0 })
}

// check holds the laws of a league that is over.
func (s *season) check() {
	s.t.Helper()
	for _, breach := range laws(s.root) {
		s.t.Error(breach)
	}
	if out, err := run("verify", "--root", s.root); err != nil {
		s.t.Errorf("league verify: %v\n%s", err, out)
	}
}

// laws returns a sentence for everything that is wrong with a league that is over: each match is recorded once, or once
// more than it was annulled, the
// table that is shown follows from the results, and every record that counts is there with the hash that was reported.
func laws(root string) (out []string) {
	s, err := state(root)
	if err != nil {
		return []string{err.Error()}
	}
	times := map[string]int{}
	for e, err := range journal.ReadFile(journal.Path(filepath.Join(root, "data"), leagueID)) {
		if err != nil {
			return []string{err.Error()}
		}
		_, events, err := league.DecodeBatch(e.Data)
		if err != nil {
			return []string{err.Error()}
		}
		for _, event := range events {
			switch e := event.(type) {
			case league.ResultRecorded:
				times[e.Match]++
			case league.Annulled:
				times[e.Match]--
			}
		}
	}
	if len(times) != s.TotalMatches() || s.Recorded != s.TotalMatches() {
		out = append(out, fmt.Sprintf("%d of %d matches have a result", len(times), s.TotalMatches()))
	}
	if secret, err := hex.DecodeString(s.DrawSecret); err != nil || protocol.DrawCommitment(leagueID,
		secret) != s.Created.DrawCommitment {
		out = append(out, "the revealed secret is not the one that was promised")
	}
	for id, n := range times {
		if n != 1 {
			out = append(out, fmt.Sprintf("%s is recorded %d times", id, n))
		}
	}
	return append(append(out, tableLaws(root, s)...), recordLaws(root, s)...)
}

func tableLaws(root string, s *league.State) (out []string) {
	r, err := store.Open(root, nil)
	if err != nil {
		return []string{err.Error()}
	}
	shown, err := r.Standings(leagueID).Load()
	if err != nil {
		return []string{err.Error()}
	}
	played := 0
	for i, want := range s.Standings() {
		if played += want.Played; i >= len(shown.Standings) || !reflect.DeepEqual(shown.Standings[i], store.Standing(want)) {
			out = append(out, fmt.Sprintf("standings.json has another row %d than %+v", i+1, want))
		}
	}
	if played != 2*s.Recorded {
		out = append(out, fmt.Sprintf("sum of played = %d, want twice %d", played, s.Recorded))
	}
	return out
}

func recordLaws(root string, s *league.State) (out []string) {
	r, err := store.Open(root, nil)
	if err != nil {
		return []string{err.Error()}
	}
	matches := r.Matches(leagueID)
	for id, m := range s.Matches {
		doc, err := matches.Load(id)
		switch {
		case err != nil:
			out = append(out, err.Error())
		case m.Outcome != nil && m.Outcome.RecordSHA256 != "" && protocol.RecordHash(doc) != m.Outcome.RecordSHA256:
			out = append(out, fmt.Sprintf("the record of %s is not the one that was reported", id))
		}
	}
	return out
}

// order gives the manager an order, as soon as it takes it.
func (s *season) order(verb string) {
	s.t.Helper()
	rpctest.Eventually(s.t, "the order to "+verb, func() bool {
		_, err := run(verb, "--root", s.root, "--manager", s.url)
		return err == nil
	})
}
