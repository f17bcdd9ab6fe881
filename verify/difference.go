package verify

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/store/wal"
)

// Kinds of differences.
const (
	Missing   = "missing"   // the file or record does not exist
	Different = "different" // it has other content
	Version   = "version"   // a newer or older version of the program wrote it
)

// A Difference is a mismatch between a file and the content that follows from the journal.
type Difference struct {
	File  string `json:"file"`            // below the data directory
	Kind  string `json:"kind"`            // Missing, Different or Version
	Line  int    `json:"line,omitempty"`  // from 1; 0: the file as a whole
	Field string `json:"field,omitempty"` // the member that differs
	Want  string `json:"want,omitempty"`  // as it follows from the journal
	Found string `json:"found,omitempty"` // as the file has it
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

// differ adds a difference.
func (v *Result) differ(d Difference) {
	d.Kind = cmp.Or(d.Kind, Different)
	v.Differences = append(v.Differences, d)
}

// Kinds counts the differences by kind.
func (v *Result) Kinds() map[string]int {
	out := map[string]int{}
	for _, d := range v.Differences {
		out[d.Kind]++
	}
	return out
}

// Behind reports whether every difference is in a file that a running manager is about to write. If so, a retry may
// succeed.
func (v *Result) Behind() bool {
	return len(v.Differences) > 0 && !slices.ContainsFunc(v.Differences, func(d Difference) bool { return !d.behind })
}

// damage adds the damage in the record logs to the differences.
func (v *Result) damage() {
	for _, err := range v.root.Damage(v.LeagueID) {
		d := Difference{Kind: kindOf(err), What: err.Error()}
		if at := (*wal.DamageError)(nil); errors.As(err, &at) {
			d.File, d.What = at.Path, fmt.Sprintf("damaged at offset %d: %v; restore the file from a backup", at.Offset, at.Cause)
			if d.Kind == Version {
				d.What = at.Cause.Error()
			}
		}
		v.differ(d)
	}
}

// kindOf returns the kind of a difference from the error of reading the file.
func kindOf(err error) string {
	switch unknown := (*protocol.UnknownMemberError)(nil); {
	case errors.Is(err, fs.ErrNotExist):
		return Missing
	case errors.Is(err, league.ErrNewer), errors.Is(err, wal.ErrVersion), errors.As(err, &unknown):
		return Version
	}
	return Different
}

// firstDifference returns the first line in which found differs from want.
func firstDifference(want, found []byte) (d Difference, differs bool) {
	if bytes.Equal(want, found) {
		return d, false
	}
	var lines [2]string // with their line breaks
	for a, b := want, found; ; d.Line++ {
		wanted, restA, moreA := bytes.Cut(a, []byte("\n"))
		got, restB, moreB := bytes.Cut(b, []byte("\n"))
		if !bytes.Equal(wanted, got) || moreA != moreB {
			d.Line++
			d.Want, d.Found = shownLine(wanted, moreA), shownLine(got, moreB)
			lines = [2]string{string(a[:len(a)-len(restA)]), string(b[:len(b)-len(restB)])}
			break
		}
		a, b = restA, restB
	}
	wanted, got := strings.TrimRight(d.Want, ","), strings.TrimRight(d.Found, ",")
	switch {
	case wanted != got:
		d.Want, d.Found = wanted, got
	case d.Want != d.Found:
		d.Want, d.Found = wanted+commas(d.Want[len(wanted):]), got+commas(d.Found[len(got):])
	default: // the lines differ in space, or in the line break after them
		d.Want, d.Found = strconv.Quote(lines[0]), strconv.Quote(lines[1])
		return d, true
	}
	field, a, _ := strings.Cut(wanted, ": ")
	other, b, _ := strings.Cut(got, ": ")
	if field == other && a != b { // the same member with another value
		d.Field, d.Want, d.Found = strings.Trim(field, `"`), a, b
	}
	return d, true
}

// commas describes the commas at the end of a line.
func commas(end string) string {
	switch len(end) {
	case 0:
		return ""
	case 1:
		return " and a comma"
	}
	return fmt.Sprintf(" and %d commas", len(end))
}

// shownLine formats a line for a difference: without surrounding space, or "its end" if more is false and it is
// empty.
func shownLine(line []byte, more bool) string {
	if len(line) == 0 && !more {
		return "its end"
	}
	return string(bytes.TrimSpace(line))
}
