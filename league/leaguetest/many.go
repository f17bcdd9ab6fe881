// Package leaguetest writes the logs of large leagues for tests, without playing them.
//
//	WriteMany ─▶ a journal with 100,000 results and an open last round
//
// The log is valid for the fold, but its signatures are not.
package leaguetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/protocol"
)

// Many players meet once in 100,128 matches.
const (
	manyPlayers  = 448
	manyReferees = 4
	inALine      = 64 // events, as a busy manager writes them
)

// WriteMany writes the journal of a league of 100,128 matches that is in its last round. Every entry is as long as in
// a league of signing players, but the signatures are invalid; reading a log back does not verify them.
func WriteMany(t testing.TB, dir, leagueID string) {
	t.Helper()
	disk, err := journal.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	secret, err := disk.Secret(t.Context(), "draw."+leagueID)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := disk.Secret(t.Context(), "token."+leagueID)
	if err != nil {
		t.Fatal(err)
	}
	w := &bulk{t: t, disk: disk, league: leagueID, at: time.Date(2026, 1, 2, 3, 4, 5, 123456789, time.UTC)}
	w.add(league.Created{
		Schema: league.Schema, ManagerKey: protocol.AgreementPublic(protocol.AgreementKey(tokens)), LeagueID: leagueID, GameType: "even_odd", Cycles: 1, Scoring: protocol.DefaultScoring,
		Tiebreakers: league.Tiebreakers, DrawCommitment: protocol.DrawCommitment(leagueID, secret),
	})
	w.add(league.Epoch{Holder: "http://localhost:8000/mcp"})
	for n := range manyReferees {
		w.add(registered(protocol.RoleReferee, n+1))
	}
	var ids []string
	for n := range manyPlayers {
		a := registered(protocol.RolePlayer, n+1)
		ids = append(ids, a.ID)
		w.add(a)
	}
	w.add(league.Started{Players: ids})
	w.rounds(league.Ring{Players: ids, Cycles: 1})
}

// Line returns one line as [WriteMany] writes it: half of its events are assignments, half are results.
func Line(t testing.TB) []byte {
	t.Helper()
	w := &bulk{t: t, at: time.Date(2026, 1, 2, 3, 4, 5, 123456789, time.UTC)}
	for n := range inALine/2 - 1 {
		w.match(1, n+1, "P01", "P02")
	}
	return w.line()
}

// registered returns the registration of an agent that never runs.
func registered(role protocol.Role, n int) league.Registered {
	id := protocol.AgentID(role, n)
	return league.Registered{
		Role: role, ID: id, Name: fmt.Sprint("Agent ", id), Endpoint: fmt.Sprintf("http://127.0.0.1:1/%d/mcp", n),
		Version: "1.0.0", GameTypes: []string{"even_odd"}, Generation: 1,
		Place: fmt.Sprintf("127.0.0.1:1/%d/mcp", n), Key: protocol.SHA256(id), AgreementKey: protocol.SHA256("agreement " + id), Organiser: role == protocol.RoleReferee,
		Welcome: &league.Welcomed{
			Manager: "http://localhost:8000/mcp", Challenge: "c", Nonce: "n", Signature: signature("w"),
		},
	}
}

// signature returns a text with the length of a signature.
func signature(of string) string { return protocol.SHA256(of) + protocol.SHA256("signature") }

// A bulk writes events, many to a line.
type bulk struct {
	t      testing.TB
	disk   *journal.Engine
	league string
	end    engine.Mark
	at     time.Time
	batch  []written
}

// written is an event as a manager writes it.
type written struct {
	Kind  string       `json:"kind"`
	At    time.Time    `json:"at"`
	Event league.Event `json:"event"`
}

// rounds writes all rounds of a schedule, and leaves the last one open.
func (w *bulk) rounds(schedule league.Ring) {
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

// match writes the events of a match, with the size of those of a real one. Signatures and keys have a valid form
// only.
func (w *bulk) match(round, n int, a, b string) {
	id, referee := protocol.MatchID(round, n), protocol.AgentID(protocol.RoleReferee, n%manyReferees+1)
	even, odd, drawn := json.RawMessage(`"even"`), json.RawMessage(`"odd"`), n%10+1
	w.add(league.MatchAssigned{Match: id, Referee: referee, Attempt: 1})
	w.add(league.ResultRecorded{
		Match: id, Attempt: 1, Referee: referee,
		Result: league.Result{
			Status: protocol.Win, Winner: a, Drawn: &drawn, Choices: map[string]json.RawMessage{a: even, b: odd},
		},
		DrawKey: fmt.Sprintf("%064x", round*1000+n), RecordSHA256: fmt.Sprintf("%064x", n*1000+round),
		Moves:  []league.Moved{{Turn: 1, PlayerID: a, Move: even}, {Turn: 1, PlayerID: b, Move: odd}},
		Signed: map[string]protocol.SignedAnswers{a: signed(`"even"`), b: signed(`"odd"`)},
		Timing: map[string]protocol.Timing{
			a: {Tries: 3, AgentUS: 1234, OverheadUS: 56}, b: {Tries: 3, AgentUS: 2345, OverheadUS: 67},
		},
	})
}

// signed are answers of the right form.
func signed(move string) protocol.SignedAnswers {
	return protocol.SignedAnswers{
		Head: protocol.SHA256("head"), Answers: []protocol.SignedAnswer{{Move: move}}, Signature: signature(move),
	}
}

// add appends an event to the current line, and writes the line to disk when it is full.
func (w *bulk) add(e league.Event) {
	w.batch = append(w.batch, written{league.Kind(e), w.at, e})
	if len(w.batch) == inALine {
		w.flush()
	}
}

// flush writes the line. The next one is a second later.
func (w *bulk) flush() {
	w.t.Helper()
	if len(w.batch) == 0 {
		return
	}
	var err error
	if w.end, err = w.disk.Append(w.t.Context(), w.league, w.end.Seq, w.line()); err != nil {
		w.t.Fatal(err)
	}
	w.at, w.batch = w.at.Add(time.Second), nil
}

// line is the batch as the log has it.
func (w *bulk) line() []byte {
	w.t.Helper()
	data, err := json.Marshal(w.batch)
	if err != nil {
		w.t.Fatal(err)
	}
	return data
}
