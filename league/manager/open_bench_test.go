package manager_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
)

// manyResults is a league whose log is long: 448 players meet once, which are 100,128 matches.
const manyPlayers, manyReferees = 448, 4

// BenchmarkOpen has a manager come back to a league with 100,000 results in a journal. It reports the memory that its
// state takes, too.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	writeMany(b, dir)
	info, err := os.Stat(journal.Path(dir, leagueID))
	if err != nil {
		b.Fatal(err)
	}
	var live float64
	for b.Loop() {
		live = openMany(b, dir)
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB-journal")
	b.ReportMetric(live, "MB-live")
}

func openMany(b *testing.B, dir string) (live float64) {
	ctx, cancel := context.WithCancel(b.Context())
	disk, err := journal.Open(dir, journal.Options{})
	if err != nil {
		b.Fatal(err)
	}
	m, err := manager.Open(ctx, disk, manager.Options{LeagueID: leagueID, Endpoint: "http://localhost:1/mcp", Hold: true})
	if err != nil {
		b.Fatal(err)
	}
	m.Read(func(s *league.State) {
		if s.Recorded < 100_000 {
			b.Errorf("%d results, want 100,000", s.Recorded)
		}
	})
	b.StopTimer()
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	cancel()
	m.Wait()
	if err := disk.Close(); err != nil {
		b.Fatal(err)
	}
	b.StartTimer()
	return float64(memory.HeapAlloc) / 1e6
}

// writeMany writes a league of many matches as a busy manager does: many results to a line.
func writeMany(b *testing.B, dir string) {
	disk, err := journal.Open(dir, journal.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer disk.Close()
	w := &bulk{b: b, disk: disk, at: time.Date(2026, 1, 2, 3, 4, 5, 123456789, time.UTC)}
	w.add(league.Created{
		Schema: 1, LeagueID: leagueID, GameType: "even_odd", Cycles: 1, Scoring: protocol.DefaultScoring,
		Tiebreakers: league.Tiebreakers, DrawCommitment: strings.Repeat("c0", 32),
	})
	w.add(league.Epoch{Holder: "http://localhost:8000/mcp"})
	for n := range manyReferees {
		w.add(agentOf(protocol.RoleReferee, n+1))
	}
	var ids []string
	for n := range manyPlayers {
		a := agentOf(protocol.RolePlayer, n+1)
		ids = append(ids, a.ID)
		w.add(a)
	}
	w.add(league.Started{Players: ids})
	schedule := league.Schedule{Players: ids, Cycles: 1}
	for round := 1; round <= schedule.Rounds(); round++ {
		w.add(league.RoundOpened{Round: round})
		for n, pair := range schedule.Round(round) {
			w.match(round, n+1, pair.A, pair.B)
		}
		if round < schedule.Rounds() { // the last is still open
			w.add(league.RoundClosed{Round: round})
			w.add(league.Announced{What: "round_end", Round: round})
		}
		w.flush()
	}
}

func agentOf(role protocol.Role, n int) league.Registered {
	id := protocol.AgentID(role, n)
	return league.Registered{Role: role, ID: id, Name: fmt.Sprint("Agent ", id),
		Endpoint: fmt.Sprintf("http://localhost:%d/mcp", 9000+n), Version: "1.0.0", GameTypes: []string{"even_odd"},
		Generation: 1,
		Place:      fmt.Sprintf("localhost:%d/mcp", 9000+n), Key: protocol.SHA256(id),
		Organiser: role == protocol.RoleReferee,
		Welcome: &league.Welcomed{
			Manager: "http://localhost:8000/mcp", Nonce: "n", TokenSHA256: protocol.SHA256("t"),
			Signature: protocol.SHA256("a") + protocol.SHA256("b"),
		}}
}

// bulk writes events in lines.
type bulk struct {
	b     *testing.B
	disk  *journal.Engine
	end   engine.Mark
	at    time.Time
	batch []line
}

// line is an event as a manager writes it.
type line struct {
	Kind  string       `json:"kind"`
	At    time.Time    `json:"at"`
	Event league.Event `json:"event"`
}

func (w *bulk) add(e league.Event) {
	w.batch = append(w.batch, line{league.Kind(e), w.at, e})
	if len(w.batch) == 64 {
		w.flush()
	}
}

func (w *bulk) match(round, n int, a, b string) {
	id, referee := protocol.MatchID(round, n), protocol.AgentID(protocol.RoleReferee, n%manyReferees+1)
	w.add(league.MatchAssigned{Match: id, Referee: referee, Attempt: 1})
	drawn := n%10 + 1
	w.add(league.ResultRecorded{
		Match: id, Attempt: 1, Referee: referee,
		Result: league.Result{
			Status: protocol.Win, Winner: a, Drawn: &drawn, Choices: map[string]json.RawMessage{
				a: json.RawMessage(`"even"`), b: json.RawMessage(`"odd"`),
			},
		},
		DrawKey: fmt.Sprintf("%064x", round*1000+n), RecordSHA256: fmt.Sprintf("%064x", n*1000+round),
		Moves: []league.Moved{
			{Turn: 1, PlayerID: a, Move: json.RawMessage(`"even"`)}, {Turn: 1, PlayerID: b, Move: json.RawMessage(`"odd"`)},
		},
		Signed: map[string]protocol.SignedAnswers{a: signedAs(`"even"`), b: signedAs(`"odd"`)},
		Timing: map[string]protocol.Timing{
			a: {Tries: 3, AgentUS: 1234, OverheadUS: 56}, b: {Tries: 3, AgentUS: 2345, OverheadUS: 67},
		},
	})
}

// signedAs is what a player has signed, as long as that is; who only reads a log back does not check it.
func signedAs(move string) protocol.SignedAnswers {
	return protocol.SignedAnswers{
		Head: protocol.SHA256("head"), Answers: []protocol.SignedAnswer{{Move: move}},
		Signature: protocol.SHA256(move) + protocol.SHA256("signature"),
	}
}

func (w *bulk) flush() {
	if len(w.batch) == 0 {
		return
	}
	data, err := json.Marshal(w.batch)
	if err != nil {
		w.b.Fatal(err)
	}
	if w.end, err = w.disk.Append(w.b.Context(), leagueID, w.end.Seq, data); err != nil {
		w.b.Fatal(err)
	}
	w.at, w.batch = w.at.Add(time.Second), nil
}

// BenchmarkDecodeBatch reads a line of a busy manager's log: 32 assignments and as many results.
func BenchmarkDecodeBatch(b *testing.B) {
	w := &bulk{b: b, at: time.Date(2026, 1, 2, 3, 4, 5, 123456789, time.UTC)}
	for n := range 31 {
		w.match(1, n+1, "P01", "P02")
	}
	data, err := json.Marshal(w.batch)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := league.DecodeBatch(data); err != nil {
			b.Fatal(err)
		}
	}
}
