package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/store"
)

// matches checks the record of every result: against the journal, and for consistency in itself.
func (v *Result) matches() {
	if at, removed := store.RecordsRemoved(v.root, v.LeagueID); removed {
		v.Notes = append(v.Notes, "the match records were removed at "+at+" by the setting records of config/system.json; without them "+
			"no move can be verified")
		return
	}
	for round := 1; round <= v.audit.State.Round; round++ {
		for _, m := range v.audit.State.InRound(round) {
			if m.Outcome != nil {
				v.match(m)
			}
		}
	}
}

// match checks one match against its record, by the kind of evidence that it has.
func (v *Result) match(m *league.Match) {
	switch m.Proof {
	case league.Unproven:
		v.Doubtful = append(v.Doubtful, m.ID)
	case league.Disputed:
		v.Disputed = append(v.Disputed, m.ID)
	}
	before := len(v.Differences)
	name := "data/matches/" + v.LeagueID + "/" + m.ID + ".json"
	switch {
	case m.Outcome.Attempt == 0:
		v.Unplayed = append(v.Unplayed, m.ID)
		v.own(name, m)
	case !v.audit.Provable(m) && m.Outcome.RecordSHA256 == "":
		v.Unproven = append(v.Unproven, m.ID)
		if m.Outcome.Note != "" {
			v.Notes = append(v.Notes, m.ID+": "+m.Outcome.Note)
		}
		v.own(name, m)
	case !v.audit.Provable(m):
		v.Unproven = append(v.Unproven, m.ID)
		if _, err := fs.Stat(v.root, name); err != nil {
			v.Notes = append(v.Notes, m.ID+": its referee does not commit to its draws and has not sent the record that "+
				"it reported")
			break
		}
		v.copies(name, m)
	case m.Outcome.RecordSHA256 == "": // a guest referee's, for which the manager drew
		v.own(name, m)
		v.settled(m, before)
	default:
		v.proven(name, m, before)
	}
}

// proven checks a match whose referee was this program, so that its draw can be proven.
func (v *Result) proven(name string, m *league.Match, before int) {
	if doc := v.copies(name, m); doc != nil {
		if err := v.prove(m, doc); err != nil {
			v.differ(Difference{File: name, Kind: kindOf(err), What: err.Error()})
		}
	}
	v.settled(m, before)
}

// settled counts a match without differences.
func (v *Result) settled(m *league.Match, before int) {
	about := func(f league.Finding) bool { return f.Line == v.audit.Line[m.ID] && f.About(m.ID) }
	if len(v.Differences) > before || slices.ContainsFunc(v.audit.Findings, about) {
		return
	}
	v.Verified++
	if _, revealed := v.audit.DrawKey(m); revealed {
		v.Proven++
	} else {
		v.Promised++
	}
}

// Proofs caches the results of record checks for repeated verifications of a league.
type Proofs map[proofOf]error

// A proofOf is a cache key: the line of the journal with the hash of a record, and the match on that line.
type proofOf struct {
	line  int
	match string
}

// prove checks a record against the journal, and for consistency in itself.
func (v *Result) prove(m *league.Match, doc []byte) error {
	of := proofOf{v.audit.Line[m.ID], m.ID}
	if err, known := v.proofs[of]; known {
		return err
	}
	rec, err := protocol.ParseRecord(doc)
	if err == nil {
		err = v.audit.CheckRecord(m, &rec)
	}
	if err == nil {
		err = referee.VerifyRecord(v.played.game, &rec, v.audit.State.Created.Scoring)
	}
	v.proofs[of] = err
	return err
}

// own checks the record of a match without a referee's record: it must equal the one derived from the journal.
func (v *Result) own(name string, m *league.Match) {
	rec := v.audit.State.RecordFromLog(m)
	found, ok := v.read(name)
	if !ok {
		return
	}
	found, err := store.Shown(found)
	if err != nil {
		v.differ(Difference{File: name, What: err.Error()})
		return
	}
	d, differs := differsFrom(rec, found)
	if differs && rec.GameType != protocol.EvenOdd { // in the form from when every game had a member for a number
		rec.Result.DrawnNumber.Null, rec.Result.NumberParity.Null = rec.Result.DrawnNumber.Value == nil, true
		_, differs = differsFrom(rec, found)
	}
	if !differs {
		v.Records++
		return
	}
	d.File = name
	v.differ(d)
}

// differsFrom returns the first difference between a record and the document that was found; ok is false if there
// is none.
func differsFrom(rec protocol.MatchRecord, found []byte) (Difference, bool) {
	want, err := rec.DocumentLike(found)
	if err != nil {
		return Difference{What: err.Error()}, true
	}
	return firstDifference(want, found)
}

// copies compares the manager's and the referee's copy of a record with the hash in the journal, and returns a correct
// one or nil. The referee's copy exists only if the referee uses the same data directory.
func (v *Result) copies(name string, m *league.Match) (right []byte) {
	out := m.Outcome
	kept := fmt.Sprintf("data/referees/%s/%s/%s.%d.json", out.Referee, v.LeagueID, m.ID, out.Attempt)
	list := []string{name}
	if _, err := fs.Stat(v.root, kept); err == nil {
		list = append(list, kept)
	}
	wrong := map[string][]byte{}
	shown := false
	for _, file := range list {
		text, ok := v.read(file)
		if !ok {
			continue
		}
		document, err := store.Shown(text)
		switch {
		case err == nil && protocol.RecordHash(document) == out.RecordSHA256:
			shown = shown || len(document) != len(text)
			right = document
			v.Records++
		default:
			wrong[file] = text
		}
	}
	if shown && len(list) == 1 && !v.root.Logged(v.LeagueID, m.ID, out.RecordSHA256) {
		v.bare = append(v.bare, m.ID)
	}
	for _, file := range list {
		if text, ok := wrong[file]; ok {
			v.wrongHash(file, m, text, right)
		}
	}
	return right
}

// wrongHash reports a record without the reported hash. If the right record is known, it also reports the first
// difference.
func (v *Result) wrongHash(file string, m *league.Match, text, right []byte) {
	d, hash := Difference{File: file}, protocol.RecordHash(text)
	if document, err := store.Shown(text); err == nil && len(document) != len(text) {
		hash = protocol.RecordHash(document)
	}
	if right != nil {
		d = recordDifference(right, text)
		d.File = file
	}
	d.What = fmt.Sprintf("its SHA-256 is %s, that of the record in journal.jsonl:%d is %s", hash,
		v.audit.Line[m.ID], m.Outcome.RecordSHA256)
	if v.audit.WasStruck(m.ID, hash) {
		d.What = "it is the record of a result that was annulled; " + managerDue
		d.behind = true
	}
	v.differ(d)
}

// recordDifference returns the first difference between a record, or its readable form, and the right record: the
// line of the file and the innermost member.
func recordDifference(right, text []byte) Difference {
	want := right
	if protocol.OneLine(right) && !protocol.OneLine(text) {
		want = store.Readable(right)
	}
	d, _ := firstDifference(want, text)
	var a, b bytes.Buffer
	if json.Indent(&a, right, "", " ") == nil && json.Indent(&b, text, "", " ") == nil {
		if inner, differs := firstDifference(a.Bytes(), b.Bytes()); differs {
			inner.Line = d.Line
			return inner
		}
	}
	return d
}

// read returns a required record.
func (v *Result) read(name string) ([]byte, bool) {
	v.found[name] = true
	text, err := fs.ReadFile(v.root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		v.differ(Difference{File: name, Kind: Missing, What: "the record is missing; " + managerDue, behind: true})
	case err != nil:
		v.differ(Difference{File: name, What: err.Error()})
	}
	return text, err == nil
}

// unlogged reports the results whose record is only in a file for people, because a log is missing or was
// truncated.
func (v *Result) unlogged() {
	if len(v.bare) == 0 {
		return
	}
	named := v.bare
	more := ""
	if len(named) > unspokenMost {
		named, more = named[:unspokenMost], " and others"
	}
	v.differ(Difference{File: "data/referees", Kind: Missing, What: fmt.Sprintf("results without a record in the referee's log: %d (%s%s); the files in "+
		"data/matches have them, restore the log from a backup", len(v.bare), strings.Join(named, ", "), more)})
}

// leftovers checks the records without a result. A referee may have records of attempts that did not count or are
// not reported yet.
func (v *Result) leftovers() {
	for _, name := range slices.Sorted(maps.Keys(v.found)) {
		if v.found[name] {
			continue
		}
		if err := v.leftover(name); err != nil {
			v.differ(Difference{File: name, Kind: kindOf(err), What: err.Error()})
		} else {
			v.Records++
		}
	}
}

// leftover returns an error for a record without a result, unless it belongs to an assigned attempt that does not
// count.
func (v *Result) leftover(name string) error {
	parts := strings.Split(strings.TrimSuffix(name, ".json"), "/")
	if parts[1] == "matches" {
		return errors.New("the journal has no result of such a match")
	}
	text, err := fs.ReadFile(v.root, name)
	if err != nil {
		return err
	}
	at := league.MatchAssigned{Referee: parts[2]}
	at.Match = strings.TrimSuffix(parts[4], path.Ext(parts[4]))
	at.Attempt, _ = strconv.Atoi(strings.TrimPrefix(path.Ext(parts[4]), "."))
	m := v.audit.State.Matches[at.Match]
	if m == nil || !slices.Contains(m.Assigned, at) {
		return fmt.Errorf("attempt %d at %s was never assigned to %s", at.Attempt, at.Match, at.Referee)
	}
	if was, ok := v.audit.Struck(at); ok && was.RecordSHA256 != "" && protocol.RecordHash(text) != was.RecordSHA256 {
		return fmt.Errorf("its SHA-256 is %s, that of the record of the annulled result in journal.jsonl:%d is %s",
			protocol.RecordHash(text), was.Line, was.RecordSHA256)
	}
	rec, err := protocol.ParseRecord(text)
	if err != nil {
		return err
	}
	want, err := rec.DocumentLike(text)
	if err != nil {
		return err
	}
	if d, differs := firstDifference(want, text); differs {
		return fmt.Errorf("line %d: want %s, found %s", d.Line, d.Want, d.Found)
	}
	if err := v.audit.CheckAttempt(m, at, &rec); err != nil {
		return err
	}
	if err := v.audit.CheckSigned(m, at, &rec); err != nil {
		return err
	}
	return referee.VerifyRecord(v.played.game, &rec, v.audit.State.Created.Scoring)
}
