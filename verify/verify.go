// Package verify derives the table, the draws and the records of a league again
// from its files alone, and says where anything differs. It opens nothing for
// writing: a copy will do, and a root in use as well.
//
//	journal ─▶ hashes, fold, audit ─┬▶ standings, draws ─▶ held against the documents
//	records ─▶ transcript, proofs ──┤
//	what players kept ──────────────┴▶ Result: differences, doubts, notes
//
// The journal is the truth that all else is held against; that it is itself
// the one that was played shows by the heads that players have signed. A
// difference names file, line and member. What cannot be proven either way,
// such as the word of a guest, is a doubt and no difference.
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
	"agentleague/files"
	"agentleague/game/wasm"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/store"
	"agentleague/store/wal"
)

// A Result is what was found out about a league.
type Result struct {
	LeagueID string `json:"league_id"`
	OK       bool   `json:"ok"` // nothing differs; there may still be doubts, see Doubtful
	State    string `json:"state"`
	Lines    int    `json:"journal_lines"`    // of the journal, all of which were read
	Matches  int    `json:"results_recorded"` // with a result in the journal
	// those whose result follows from their moves and their draw
	Verified int `json:"matches_verified"`
	// whether the secret of the draws is known, which is at the end
	Revealed  bool                `json:"secret_revealed"`
	Proven    int                 `json:"draws_proven"`    // draws that follow from the secret
	Promised  int                 `json:"draws_promised"`  // draws that fit their promise; the secret is not out yet
	Unproven  []string            `json:"draws_unproven"`  // matches whose draw nothing proves
	Unplayed  []string            `json:"not_played"`      // matches that no referee played: a player had left
	Records   int                 `json:"records_checked"` // files that were held against the journal
	Standings []protocol.Standing `json:"standings"`       // derived again, not read
	Ranks     []string            `json:"ranks"`           // of those rows, as people say them: 1, or =2 if it is shared
	// everything that is not as it must be, in the order of the files
	Differences []Difference `json:"differences"`
	Notes       []string     `json:"notes"` // what is worth knowing and nobody's fault

	Seal      string         `json:"seal"`             // what makes this league this one: players sign it
	Head      string         `json:"head"`             // the newest
	Results   protocol.Basis `json:"results"`          // what they rest on
	Doubtful  []string       `json:"results_unproven"` // those that rest on a guest's word
	Disputed  []string       `json:"results_disputed"` // results that a player contests
	LastWords int            `json:"last_words"`       // players that have signed how the log ends
	Witnesses int            `json:"witnesses"`        // files of players that say the same

	root   *files.RecordFS // read-only
	audit  *league.Audit   // the fold that everything is held against
	found  map[string]bool // files that were there before the journal was read; true: looked at since
	proofs Proofs          // of single matches
	bare   []string        // matches whose record is in a file for people alone

	rulesIn func() (*wasm.Game, error) // the file beside the journal; nil: nobody has looked yet
}

// A Difference is something that is not as the records say it must be.
type Difference struct {
	File  string `json:"file"`            // below the root
	Line  int    `json:"line,omitempty"`  // from 1; 0: the file as a whole
	Field string `json:"field,omitempty"` // the member, as a path
	Want  string `json:"want,omitempty"`  // as it follows from the journal
	Found string `json:"found,omitempty"` // as the file has it
	What  string `json:"what,omitempty"`  // in words, where want and found do not say it

	behind bool // a manager has yet to write it
}

// String is the difference in a line, the place first.
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

// League looks at a league once. Known is what is known of its records already. What is there is listed before the
// journal is read: whatever a manager writes meanwhile, nothing listed is newer than the journal.
func League(root fs.FS, id string, known Proofs) *Result {
	v := &Result{
		LeagueID: id, root: files.ShowRecords(root), found: map[string]bool{}, proofs: known,
		Unproven: []string{}, Unplayed: []string{}, Differences: []Difference{}, Notes: []string{}, Doubtful: []string{},
		Disputed: []string{},
	}
	v.damage()
	v.list("data/matches/" + id)
	referees, _ := fs.Glob(v.root, "data/referees/*/"+id) // the pattern is one
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

// onlyBehind reports whether all that differs is what a league in play writes a moment later; then it is worth
// another look.
func (v *Result) onlyBehind() bool {
	return !v.OK && !slices.ContainsFunc(v.Differences, func(d Difference) bool { return !d.behind })
}

// damage notes what is wrong with the logs of records.
func (v *Result) damage() {
	for _, err := range v.root.Damage(v.LeagueID) {
		d := Difference{What: err.Error()}
		if at := (*wal.DamageError)(nil); errors.As(err, &at) {
			d.File, d.What = at.Path, fmt.Sprintf("damaged at offset %d: %v; restore the file from a backup", at.Offset, at.Cause)
		}
		v.differ(d)
	}
}

// list notes the records in a folder. A line that is none differs.
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

// log audits the journal and reports whether it can be held against the rest.
func (v *Result) log() bool {
	name := "data/leagues/" + v.LeagueID + "/journal.jsonl"
	check := func(r *protocol.MatchResultReport, a, b string) error {
		return referee.VerifyLogged(v.game, r, a, b)
	}
	var end journal.End
	audit, err := league.NewAudit(journal.ReadToEnd(v.root, name, &end), check)
	for _, f := range audit.Findings { // also of what comes before an end that cannot be read
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

// rules holds what the journal says of its game against the game.
func (v *Result) rules(journal string) {
	created := v.audit.State.Created
	v.module()
	rules, err := v.game(created.GameType)
	if err != nil {
		return // no result can be played again, which is said of each
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

// projections holds what is written for readers against what the journal makes of it.
func (v *Result) projections() {
	s := v.audit.State.Snapshot()
	table, rounds, agents := store.Standings(s), store.Rounds(s), store.Agents(s)
	v.projection("standings.json", table.LastUpdated, func(at string, _ []byte) ([]byte, error) {
		return files.DocumentStandings(v.LeagueID, table, at)
	})
	v.projection("rounds.json", rounds.LastUpdated, func(at string, _ []byte) ([]byte, error) {
		return files.DocumentRounds(v.LeagueID, rounds, at)
	})
	v.projection("agents.json", agents.LastUpdated, func(at string, found []byte) ([]byte, error) {
		var stated config.Agents
		if s.HolderVersion == "" && json.Unmarshal(found, &stated) == nil {
			agents.LeagueManager.Version = stated.LeagueManager.Version // the log of an earlier version does not have it
		}
		return files.DocumentAgents(v.LeagueID, agents, at)
	})
}

// projection compares one such file. Documents of earlier versions state when they were written, which no log has.
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

// statedTime returns when a document states that it was written; "": it states no time.
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

// firstDifference names the first line in which a text is not the one that it should be.
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
	field, a, _ := strings.Cut(strings.TrimSuffix(d.Want, ","), ": ")
	other, b, _ := strings.Cut(strings.TrimSuffix(d.Found, ","), ": ")
	if field == other && a != b { // the same member with another value
		d.Field, d.Want, d.Found = strings.Trim(field, `"`), a, b
	}
	return d, true
}

// shownLine is a line without the space around it.
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

// Patiently verifies a league. Where only what a manager has yet to write
// differs it is given the time for it, and while the journal grows no such
// file can be held against it.
func Patiently(root fs.FS, id string) *Result {
	v, _ := Repeatedly(func() (fs.FS, error) { return root, nil }, id) // it is there
	return v
}

// Repeatedly is Patiently for whoever has to fetch the files each time.
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

// Against is what others tell of a result, otherwise than the log has it.
func (v *Result) Against(match string) []league.Contested {
	if m := v.audit.State.Matches[match]; m != nil {
		return m.Against
	}
	return nil
}
