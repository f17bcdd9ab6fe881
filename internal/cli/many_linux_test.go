package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/protocol"
)

// manyPlayers meet once in 100,128 matches.
const manyPlayers = 448

// TestAManagerIsBackWith100000Results starts one on such a journal. How long that takes is told: within a second on a
// machine with two processors to itself, which a test cannot ask for; ten are too many on any. The memory is bounded.
func TestAManagerIsBackWith100000Results(t *testing.T) {
	if testing.Short() || racing {
		t.Skip("it measures time and memory")
	}
	root := t.TempDir()
	writeMany(t, filepath.Join(root, "data"))
	began := time.Now()
	p := start(t, "manager", "--root", root, "--port", "0", "--start-after", "1h")
	p.endpoint()
	took, mb := time.Since(began), peakMB(t, p.cmd.Process.Pid)
	t.Logf("back after %v, %.1f s of processor time, with %d MB", took.Round(time.Millisecond), spent(t, p.cmd.Process.Pid).Seconds(), mb)
	if mb > 200 || took > 10*time.Second && spent(t, p.cmd.Process.Pid) > 5*time.Second {
		t.Errorf("back after %v with %d MB, want 200 MB at most", took, mb)
	}
}

// peakMB is the most memory that a process has had from the system.
func peakMB(t *testing.T, pid int) (kb int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, found := strings.Cut(string(text), "VmHWM:")
	if _, scanErr := fmt.Sscan(rest, &kb); err != nil || !found || scanErr != nil {
		t.Fatal(err, scanErr)
	}
	return kb / 1000
}

// spent is the processor time of a process.
func spent(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	f := strings.Fields(rest)
	var user, system int64 // in hundredths of a second
	if _, err := fmt.Sscan(f[11]+" "+f[12], &user, &system); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}

// writeMany writes the journal of a league in its last round, as a busy manager does: many events to a line.
func writeMany(t *testing.T, dir string) {
	t.Helper()
	disk, err := journal.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	secret, err := disk.Secret(t.Context(), "draw."+theLeague)
	if err != nil {
		t.Fatal(err)
	}
	w := &bulk{t: t, disk: disk, at: time.Date(2026, 1, 2, 3, 4, 5, 123456789, time.UTC)}
	w.add(league.Created{Schema: 1, LeagueID: theLeague, GameType: "even_odd", Cycles: 1, Scoring: protocol.DefaultScoring, Tiebreakers: league.Tiebreakers, DrawCommitment: protocol.DrawCommitment(theLeague, secret)})
	w.add(league.Registered{Role: protocol.RoleReferee, ID: "REF01", Name: "Referee", Endpoint: "http://127.0.0.1:1/mcp", Generation: 1})
	var ids []string
	for n := range manyPlayers {
		id := protocol.AgentID(protocol.RolePlayer, n+1)
		ids = append(ids, id)
		w.add(league.Registered{Role: protocol.RolePlayer, ID: id, Name: "Player " + id, Endpoint: "http://127.0.0.1:1/mcp", Generation: 1})
	}
	w.add(league.Started{Players: ids})
	schedule := league.Schedule{Players: ids, Cycles: 1}
	for round := 1; round <= schedule.Rounds(); round++ {
		w.add(league.RoundOpened{Round: round})
		for n, pair := range schedule.Round(round) {
			w.match(round, n+1, pair.A, pair.B)
		}
		if round < schedule.Rounds() {
			w.add(league.RoundClosed{Round: round})
		}
		w.flush()
	}
}

// bulk writes events in lines.
type bulk struct {
	t     *testing.T
	disk  *journal.Engine
	end   engine.Mark
	at    time.Time
	batch []written
}

// written is an event as a manager writes it.
type written struct {
	Kind  string       `json:"kind"`
	At    time.Time    `json:"at"`
	Event league.Event `json:"event"`
}

func (w *bulk) add(e league.Event) {
	if w.batch = append(w.batch, written{league.Kind(e), w.at, e}); len(w.batch) == 64 {
		w.flush()
	}
}

func (w *bulk) match(round, n int, a, b string) {
	id, drawn := protocol.MatchID(round, n), n%10+1
	w.add(league.MatchAssigned{Match: id, Referee: "REF01", Attempt: 1})
	w.add(league.ResultRecorded{
		Match: id, Attempt: 1, Referee: "REF01",
		Result:  league.Result{Status: protocol.Win, Winner: a, Drawn: &drawn, Choices: map[string]json.RawMessage{a: json.RawMessage(`"even"`), b: json.RawMessage(`"odd"`)}},
		DrawKey: fmt.Sprintf("%064x", round*1000+n), RecordSHA256: fmt.Sprintf("%064x", n*1000+round),
		Moves:  []league.Moved{{Turn: 1, PlayerID: a, Move: json.RawMessage(`"even"`)}, {Turn: 1, PlayerID: b, Move: json.RawMessage(`"odd"`)}},
		Timing: map[string]protocol.Timing{a: {Tries: 3, AgentUS: 1234, OverheadUS: 56}, b: {Tries: 3, AgentUS: 2345, OverheadUS: 67}},
	})
}

func (w *bulk) flush() {
	w.t.Helper()
	if len(w.batch) == 0 {
		return
	}
	data, err := json.Marshal(w.batch)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.end, err = w.disk.Append(w.t.Context(), theLeague, w.end.Seq, data); err != nil {
		w.t.Fatal(err)
	}
	w.at, w.batch = w.at.Add(time.Second), nil
}
