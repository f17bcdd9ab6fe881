// Package verify derives the table, the draws and the records of a league again from its files alone, and reports all
// differences. It opens nothing for writing: a copy will do, and a root in use as well.
//
//	journal ─▶ hashes, fold, audit ─┬▶ standings, draws ─▶ compared with the documents
//	records ─▶ transcript, proofs ──┤
//	players' witnesses ─────────────┴▶ Result: differences, doubts, notes
//
// The journal is the reference for all comparisons; the heads that players have signed show that it was not
// rewritten. A difference names file, line and member. A claim that cannot be proven either way, such as a guest's
// report, is a doubt and no difference.
package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentleague/config"
	"agentleague/engine/journal"
	"agentleague/game/wasm"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/store"
	"agentleague/store/wal"
)

// A Result is the outcome of the verification of a league.
type Result struct {
	LeagueID string `json:"league_id"`
	OK       bool   `json:"ok"` // no difference; there may still be doubts, see Doubtful
	State    string `json:"state"`
	Lines    int    `json:"journal_lines"`    // all lines of the journal
	Matches  int    `json:"results_recorded"` // with a result in the journal
	// matches with a result that follows from their moves and their draw
	Verified int `json:"matches_verified"`
	// whether the secret of the draws is public, as it is at the end
	Revealed  bool                `json:"secret_revealed"`
	Proven    int                 `json:"draws_proven"`    // draws that match their commitment; the secret is not public yet
	Promised  int                 `json:"draws_promised"`  // matches with an unprovable draw
	Unproven  []string            `json:"draws_unproven"`  // matches that no referee played: a player had left
	Unplayed  []string            `json:"not_played"`      // files that were compared with the journal
	Records   int                 `json:"records_checked"` // derived again, not read
	Standings []protocol.Standing `json:"standings"`       // of those rows, for display: 1, or =2 if it is shared
	Ranks     []string            `json:"ranks"`           // all differences, in the order of the files
	// all differences, in the order of the files
	Differences []Difference `json:"differences"`
	Notes       []string     `json:"notes"` // information that is no difference

	Seal      string         `json:"seal"`             // identifies the league; players sign it
	Head      string         `json:"head"`             // the newest
	Results   protocol.Basis `json:"results"`          // the basis of the results
	Doubtful  []string       `json:"results_unproven"` // results with no evidence but a guest's report
	Disputed  []string       `json:"results_disputed"` // results that a player contests
	LastWords int            `json:"last_words"`       // players that have signed the end of the log
	Witnesses int            `json:"witnesses"`        // players' files that agree with the log

	root   *store.RecordFS // read-only
	audit  *league.Audit   // the fold that all files are compared with
	found  map[string]bool // files that existed before the journal was read; true: checked since
	proofs Proofs          // of single matches
	bare   []string        // matches whose record is only in a file for people

	rulesIn func() (*wasm.Game, error) // loads the file beside the journal, once
}

// A Difference is a mismatch between a file and the journal.
type Difference struct {
	File  string `json:"file"`            // below the root
	Line  int    `json:"line,omitempty"`  // from 1; 0: the file as a whole
	Field string `json:"field,omitempty"` // as it follows from the journal
	Want  string `json:"want,omitempty"`  // as it follows from the journal
	Found string `json:"found,omitempty"` // a description, where want and found do not suffice
	What  string `json:"what,omitempty"`  // a description, where want and found do not suffice

	behind bool // a manager has yet to write it
}

// String formats the difference on one line, the place first.
func (d Difference) String() string {
	parts := []string{d.File}
	if d.Line > 0 {
		parts[0] += ":" + strconv.Itoa(d.Line)
	}
	if d.Field != "" {
		parts = append(parts, d.Field)
	}
	if d.Want != "" || d.Found != "" {
		parts = append(parts, fmt.Sprintf("want %s, found %s", cmp.Or(d.Want, "nothing"), cmp.Or(d.Found, "nothing")))
	}
	if d.What != "" {
		parts = append(parts, d.What)
	}
	return strings.Join(parts, ": ")
}

// League verifies a league once. Known caches checks of its records. The records are listed before the journal is
// read, so that no listed record is newer than the journal, even if a manager is writing.
func League(root fs.FS, id string, known Proofs) *Result {
	v := &Result{
		LeagueID: id, root: store.ShowRecords(root), found: map[string]bool{}, proofs: known,
		Unproven: []string{}, Unplayed: []string{}, Differences: []Difference{}, Notes: []string{}, Doubtful: []string{},
		Disputed: []string{},
	}
	v.damage()
	v.list("data/matches/" + id)
	referees, _ := fs.Glob(v.root, "data/referees/*/"+id) // the pattern is valid
	for _, folder := range referees {
		v.list(folder)
	}
	if v.log() {
		v.projections()
		v.matches()
		v.unlogged()
		v.leftovers()
		v.lastWords()
		v.histories()
	}
	v.OK = len(v.Differences) == 0
	return v
}

func (v *Result) differ(d Difference) { v.Differences = append(v.Differences, d) }

// onlyBehind reports whether all differences are files that a manager in play is about to write; then a retry is
// worthwhile.
func (v *Result) onlyBehind() bool {
	return !v.OK && !slices.ContainsFunc(v.Differences, func(d Difference) bool { return !d.behind })
}

// damage reports the damage in the logs of records.
func (v *Result) damage() {
	for _, err := range v.root.Damage(v.LeagueID) {
		d := Difference{What: err.Error()}
		if at := (*wal.DamageError)(nil); errors.As(err, &at) {
			d.File, d.What = at.Path, fmt.Sprintf("damaged at offset %d: %v; restore the file from a backup", at.Offset, at.Cause)
		}
		v.differ(d)
	}
}

// list registers the records in a folder. A malformed name is a difference.
func (v *Result) list(folder string) {
	names, err := fs.ReadDir(v.root, folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		v.differ(Difference{File: folder, What: err.Error()})
	}
	for _, e := range names {
		if base := e.Name(); base[0] != '.' && path.Ext(base) == ".json" {
			v.found[path.Join(folder, base)] = false
		}
	}
}

// log audits the journal and reports whether other files can be compared with it.
func (v *Result) log() bool {
	name := "data/leagues/" + v.LeagueID + "/journal.jsonl"
	check := func(r *protocol.MatchResultReport, a, b string) error {
		return referee.VerifyLogged(v.game, r, a, b)
	}
	var end journal.End
	audit, err := league.NewAudit(journal.ReadToEnd(v.root, name, &end), check)
	for _, f := range audit.Findings { // including the entries before an unreadable end
		v.differ(Difference{File: name, Line: f.Line, Field: f.Field, Want: f.Want, Found: f.Got, What: f.What})
	}
	found := len(v.Differences)
	var damage *journal.DamageError
	var wrong *league.LogError
	switch {
	case errors.As(err, &damage):
		v.differ(Difference{File: damage.Path, Line: int(damage.Line), What: damage.What})
	case errors.As(err, &wrong):
		v.differ(Difference{File: name, Line: wrong.Line, What: wrong.Err.Error()})
	case err != nil:
		v.differ(Difference{File: name, What: err.Error()})
	case audit.Lines == 0:
		v.differ(Difference{File: name, What: "the journal is empty"})
	case audit.State.Created.LeagueID != v.LeagueID:
		v.differ(Difference{File: name, Line: 1, Field: "league_id", Want: v.LeagueID, Found: audit.State.Created.LeagueID})
	}
	v.audit, v.Lines = audit, audit.Lines
	s := audit.State
	v.State, v.Matches, v.Revealed = s.Phase(s.Ordered), s.Recorded, s.Completed()
	v.Seal, v.Head, v.Results = s.Seal, s.Head().Hash, s.Basis()
	if len(v.Differences) > found {
		return false
	}
	v.ending(name, end)
	table := s.Table()
	v.Standings, v.Ranks = table.Rows, league.RankWords(table.Ranks)
	v.rules(name)
	return true
}

// ending checks the bytes after the last whole line, and that the head covers the end of the league. A head lags the
// log by up to 100 ms, but it is durable before LEAGUE_COMPLETED is sent.
func (v *Result) ending(name string, end journal.End) {
	if end.Torn {
		v.differ(Difference{File: name, Line: v.Lines + 1, behind: true,
			What: "bytes follow the last whole line; a manager removes them when it opens the league"})
	}
	want := uint64(v.audit.Ended)
	if want == 0 && v.audit.State.Started() {
		want = 1
	}
	if end.Head < want {
		v.differ(Difference{File: path.Join(path.Dir(name), "journal.head"), Line: 1, Field: "seq",
			Want: fmt.Sprintf("at least %d", want), Found: strconv.FormatUint(end.Head, 10), What: managerDue, behind: true})
	}
}

// rules compares the game's settings in the journal with the game's rules.
func (v *Result) rules(journal string) {
	created := v.audit.State.Created
	v.module()
	rules, err := v.game(created.GameType)
	if err != nil {
		return // no result can be replayed; each result reports that
	}
	if want := rules.Info().SeatMatters; created.SeatMatters != want {
		told := Difference{File: journal, Line: 1, Field: "seat_matters"}
		told.Want, told.Found = strconv.FormatBool(want), strconv.FormatBool(!want)
		v.differ(told)
	}
	if created.PairedDraws && league.CheckPairedDraws(created.Cycles, created.GameType, rules.Info().GuestsMayJudge) != nil {
		v.differ(Difference{File: journal, Line: 1, Field: "paired_draws", Want: "false", Found: "true"})
	}
}

// projections compares the derived documents with the journal.
func (v *Result) projections() {
	s := v.audit.State.Snapshot()
	table, rounds, agents := store.StandingsOf(s), store.RoundsOf(s), store.AgentsOf(s)
	v.projection("standings.json", table.LastUpdated, func(at string, _ []byte) ([]byte, error) {
		return store.DocumentStandings(v.LeagueID, table, at)
	})
	v.projection("rounds.json", rounds.LastUpdated, func(at string, _ []byte) ([]byte, error) {
		return store.DocumentRounds(v.LeagueID, rounds, at)
	})
	v.projection("agents.json", agents.LastUpdated, func(at string, found []byte) ([]byte, error) {
		var stated config.Agents
		if s.HolderVersion == "" && json.Unmarshal(found, &stated) == nil {
			agents.LeagueManager.Version = stated.LeagueManager.Version // the log of an earlier version does not have it
		}
		return store.DocumentAgents(v.LeagueID, agents, at)
	})
}

// projection compares one such file. Documents of earlier versions contain their time of writing, which no log has.
func (v *Result) projection(document, at string, want func(at string, found []byte) ([]byte, error)) {
	name := "data/leagues/" + v.LeagueID + "/" + document
	found, err := fs.ReadFile(v.root, name)
	if err != nil {
		v.differ(Difference{File: name, What: "it cannot be read: " + err.Error() + "; " + managerDue, behind: true})
		return
	}
	if v.audit.State.HolderVersion == "" {
		at = statedTime(found)
	}
	text, err := want(at, found)
	if err != nil {
		v.differ(Difference{File: name, What: err.Error()})
		return
	}
	if d, differs := firstDifference(text, found); differs {
		d.File, d.What, d.behind = name, managerDue, true
		v.differ(d)
	}
}

// statedTime returns the time of writing in a document; "": none.
func statedTime(document []byte) string {
	var stated struct {
		At string `json:"last_updated"`
	}
	_ = json.Unmarshal(document, &stated) // an unreadable document differs
	if _, _, err := protocol.ParseTime(stated.At); err != nil {
		return ""
	}
	return stated.At
}

// firstDifference returns the first line in which a text differs from the wanted one.
func firstDifference(want, found []byte) (d Difference, differs bool) {
	if bytes.Equal(want, found) {
		return d, false
	}
	for a, b := want, found; ; d.Line++ {
		wanted, restA, moreA := bytes.Cut(a, []byte("\n"))
		got, restB, moreB := bytes.Cut(b, []byte("\n"))
		if !bytes.Equal(wanted, got) || moreA != moreB {
			d.Line++
			d.Want, d.Found = shownLine(wanted, moreA), shownLine(got, moreB)
			break
		}
		a, b = restA, restB
	}
	wanted, got := strings.TrimSuffix(d.Want, ","), strings.TrimSuffix(d.Found, ",")
	switch {
	case wanted != got:
		d.Want, d.Found = wanted, got
	case wanted != d.Want:
		d.Want = wanted + " and a comma"
	case got != d.Found:
		d.Found = got + " and a comma"
	}
	field, a, _ := strings.Cut(wanted, ": ")
	other, b, _ := strings.Cut(got, ": ")
	if field == other && a != b { // the same member with another value
		d.Field, d.Want, d.Found = strings.Trim(field, `"`), a, b
	}
	return d, true
}

// shownLine returns a line without surrounding space.
func shownLine(line []byte, more bool) string {
	if len(line) == 0 && !more {
		return "its end"
	}
	return string(bytes.TrimSpace(line))
}

// A busy manager writes the table every five seconds (league/manager/project.go); behindMost is longer.
const (
	behindMost = 7 * time.Second
	lookEvery  = 250 * time.Millisecond
	managerDue = "a running manager brings it up to date; one that was killed does so when it is restarted"
)

// Patiently verifies a league, with retries while a manager has yet to write files. If the journal still grows at the
// end, such files count as notes instead of differences.
func Patiently(root fs.FS, id string) *Result {
	v, _ := Repeatedly(func() (fs.FS, error) { return root, nil }, id) // it cannot fail
	return v
}

// Repeatedly is like Patiently, but fetches the files at each try.
func Repeatedly(look func() (fs.FS, error), id string) (*Result, error) {
	known, first := Proofs{}, 0
	var v *Result
	for end := time.Now().Add(behindMost); ; time.Sleep(lookEvery) {
		root, err := look()
		if err != nil {
			return nil, err
		}
		if v = League(root, id, known); first == 0 {
			first = v.Lines
		}
		if !v.onlyBehind() || time.Now().After(end) {
			break
		}
	}
	if v.onlyBehind() && v.Lines > first {
		for _, d := range v.Differences {
			v.Notes = append(v.Notes, d.File+" is behind the journal, which is being written")
		}
		v.Differences, v.OK = nil, true
	}
	return v, nil
}

// InDoubt reports whether a result is neither proven nor judged by the organiser's referees.
func (v *Result) InDoubt() bool { return v.Results.Unproven+v.Results.Disputed > 0 }

// Against returns the players' and referees' objections to a result.
func (v *Result) Against(match string) []league.Contested {
	if m := v.audit.State.Matches[match]; m != nil {
		return m.Against
	}
	return nil
}
