// Package verify derives the table, the draws and the records of a league again from its files alone, and reports all
// differences. It opens no file for writing, so it can verify a copy as well as a data directory in use.
//
//	journal ─▶ hashes, fold, audit ─┬▶ standings, draws ─▶ compared with the documents
//	records ─▶ transcript, proofs ──┤
//	players' witnesses ─────────────┴▶ Result: differences, doubts, notes
//
// All files are compared with the journal; the heads that players have signed show that the journal was not rewritten.
// A difference names file, line and member. A claim that can be neither proven nor refuted, such as a guest referee's
// report, is not a difference but a doubt.
package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"time"

	"agentleague/config"
	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/store"
)

// A Result is the outcome of the verification of a league.
type Result struct {
	LeagueID string `json:"league_id"`
	OK       bool   `json:"ok"` // no difference; there may still be doubts, see Doubtful
	State    string `json:"state"`
	Lines    int    `json:"journal_lines"`    // all lines of the journal
	Matches  int    `json:"results_recorded"` // with a result in the journal
	Verified int    `json:"matches_verified"` // with a result that follows from their moves and their draw

	Revealed bool     `json:"secret_revealed"` // whether the secret of the draws is public, as it is at the end
	Proven   int      `json:"draws_proven"`    // draws that follow from the revealed secret
	Promised int      `json:"draws_promised"`  // draws that match their commitment; the secret is not public yet
	Unproven []string `json:"draws_unproven"`  // matches with an unprovable draw
	Unplayed []string `json:"not_played"`      // matches that no referee played: a player had left
	Records  int      `json:"records_checked"` // files that were compared with the journal

	Standings []protocol.Standing `json:"standings"` // derived again, not read
	Ranks     []string            `json:"ranks"`     // of those rows, for display: 1, or =2 if it is shared

	Differences []Difference `json:"differences"` // all of them, in the order of the files
	Notes       []string     `json:"notes"`       // information that is no difference

	Seal            string         `json:"seal"`             // identifies the league; players sign it
	Head            string         `json:"head"`             // the newest
	Results         protocol.Basis `json:"results"`          // the basis of the results
	Doubtful        []string       `json:"results_unproven"` // results with no evidence but a guest referee's report
	Disputed        []string       `json:"results_disputed"` // results that a player contests
	FinalSignatures int            `json:"last_words"`       // players that have signed the end of the log
	Witnesses       int            `json:"witnesses"`        // players' files that agree with the log

	root   *store.RecordFS // read-only
	audit  *league.Audit   // the fold that all files are compared with
	found  map[string]bool // files that existed before the journal was read; true: checked since
	proofs Proofs          // of single matches
	bare   []string        // matches whose record is only in a file for people
	played ruleSet
}

// League verifies a league once. known caches checks of its records. The records are listed before the journal is
// read, so that every listed record is about a match in the journal, even while a manager is writing.
func League(root fs.FS, id string, known Proofs) *Result {
	v := newResult(store.ShowRecords(root), id, known)
	v.Unproven, v.Unplayed, v.Doubtful, v.Disputed = []string{}, []string{}, []string{}, []string{}
	v.Differences, v.Notes = []Difference{}, []string{}
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
		v.checkFinalSignatures()
		v.histories()
	}
	v.OK = len(v.Differences) == 0
	return v
}

func newResult(root *store.RecordFS, id string, known Proofs) *Result {
	return &Result{LeagueID: id, root: root, found: map[string]bool{}, proofs: known, played: rulesOf(root, id)}
}

// list adds the records in a folder to those to be checked. A malformed name is a difference.
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

// log audits the journal, and reports whether the other files can be compared with it.
func (v *Result) log() bool {
	name := "data/leagues/" + v.LeagueID + "/journal.jsonl"
	check := func(r *protocol.MatchResultReport, a, b string) error {
		return referee.VerifyLogged(v.played.game, r, a, b)
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
		v.differ(Difference{File: name, Line: wrong.Line, Kind: kindOf(err), What: wrong.Err.Error()})
	case err != nil:
		v.differ(Difference{File: name, Kind: kindOf(err), What: err.Error()})
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

// ending checks that no bytes follow the last complete line, and that the head covers the end of the league. The
// head may lag behind the log by up to 100 ms, but is durable before LEAGUE_COMPLETED is sent.
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
	v.checkRules()
	rules, err := v.played.game(created.GameType)
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
	projection(v, "standings.json", table.LastUpdated, &table, store.DocumentStandings)
	projection(v, "rounds.json", rounds.LastUpdated, &rounds, store.DocumentRounds)
	if s.HolderVersion == "" { // the log of an earlier version does not have it
		var stated config.Agents
		found, _ := fs.ReadFile(v.root, "data/leagues/"+v.LeagueID+"/agents.json")
		_ = json.Unmarshal(found, &stated) // an unreadable document differs
		agents.LeagueManager.Version = stated.LeagueManager.Version
	}
	projection(v, "agents.json", agents.LastUpdated, &agents, store.DocumentAgents)
}

// projection compares one derived document with the journal. write encodes the expected document with a given time.
// Documents of earlier versions contain their time of writing, which is not in the log.
func projection[T any](v *Result, document, at string, doc *T, write func(id string, doc T, at string) ([]byte, error)) {
	name := "data/leagues/" + v.LeagueID + "/" + document
	found, err := fs.ReadFile(v.root, name)
	if err != nil {
		v.differ(Difference{File: name, Kind: kindOf(err), What: "it cannot be read: " + err.Error() + "; " + managerDue, behind: true})
		return
	}
	if v.audit.State.HolderVersion == "" {
		at = statedTime(found)
	}
	want, err := write(v.LeagueID, *doc, at)
	if err != nil {
		v.differ(Difference{File: name, What: err.Error()})
		return
	}
	d, differs := firstDifference(want, found)
	if !differs {
		return
	}
	d.File, d.What, d.behind = name, managerDue, true
	var stated T
	unknown := protocol.StrictUnmarshal(found, &stated)
	if json.Unmarshal(found, &stated) == nil {
		if again, err := write(v.LeagueID, stated, at); err == nil && bytes.Equal(again, want) { // the same values in another form
			d.Kind, d.What = Version, "another version wrote it; "+managerDue
			if kindOf(unknown) == Version {
				d.What = "a newer version wrote it: " + unknown.Error() + "; " + managerDue
			}
		}
	}
	v.differ(d)
}

// statedTime returns the time of writing in a document, or "".
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

// A busy manager writes the table every five seconds (league/manager/project.go); maxTableDelay is longer.
const (
	maxTableDelay     = 7 * time.Second
	tablePollInterval = 250 * time.Millisecond
	managerDue        = "a running manager brings it up to date; one that was killed does so when it is restarted"
)

// Patiently verifies a league. It retries while a manager is about to write files. If the journal still grows
// after the last try, such files give notes instead of differences.
func Patiently(root fs.FS, id string) *Result {
	v, _ := Repeatedly(func() (fs.FS, error) { return root, nil }, id) // it cannot fail
	return v
}

// Repeatedly is like Patiently, but before each try it gets the file system from open.
func Repeatedly(open func() (fs.FS, error), id string) (*Result, error) {
	known, first := Proofs{}, 0
	var v *Result
	for end := time.Now().Add(maxTableDelay); ; time.Sleep(tablePollInterval) {
		root, err := open()
		if err != nil {
			return nil, err
		}
		if v = League(root, id, known); first == 0 {
			first = v.Lines
		}
		if !v.Behind() || time.Now().After(end) {
			break
		}
	}
	if v.Behind() && v.Lines > first {
		for _, d := range v.Differences {
			v.Notes = append(v.Notes, d.File+" is behind the journal, which is being written")
		}
		v.Differences, v.OK = nil, true
	}
	return v, nil
}

// InDoubt reports whether any result is neither proven nor judged by the organiser's referees.
func (v *Result) InDoubt() bool { return v.Results.Unproven+v.Results.Disputed > 0 }

// Against returns the players' and referees' objections to a result.
func (v *Result) Against(match string) []league.Contested {
	if m := v.audit.State.Matches[match]; m != nil {
		return m.Against
	}
	return nil
}
