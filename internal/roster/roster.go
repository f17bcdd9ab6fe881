// Package roster reads the roster of a class as a course system exports it, compares it with the class's league, and
// writes the gradebook.
//
//	CSV ─ Read ─▶ Roster ─┬─ Names ─▶ invitations
//	       league.State ──┴─ Students ─▶ the roster page
//	                      └─ Gradebook ─▶ the same CSV with results
package roster

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/google/renameio/v2"

	"agentleague/league/sheet"
	"agentleague/protocol"
)

// A Roster is a list of students with the columns of its file.
type Roster struct {
	Header []string // nil: the file has none
	Rows   []Row

	format fileFormat
}

// A Row is a student with the cells of its line. A line of the course system that is no student has no name.
type Row struct {
	Name  string // of the student, for the organizer only
	Agent string // the public name of the student's agent: Name, unless the file has a column for it
	Cells []string
}

// A fileFormat is how a file separates its cells and lines.
type fileFormat struct {
	comma rune // 0: a comma
	mark  bool // it begins with a byte order mark
	crlf  bool
}

// Read reads the roster of a class from a file.
func Read(file string) (Roster, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Roster{}, fmt.Errorf("%w; give a CSV file with a column of names", err)
	}
	return parse(file, text)
}

// Kept returns the stored roster of a league; without one it is empty, and stands for the league's invitations.
func Kept(dataDir, league string) (Roster, error) {
	r, err := Read(filepath.Join(folder(dataDir, league), "roster.csv"))
	if errors.Is(err, fs.ErrNotExist) {
		return Roster{}, nil
	}
	return r, err
}

// Keep stores a copy of a roster file for a league, and the page with its invitations. Only their owner can read them.
func Keep(dataDir, league, from string, invitations []byte) (page string, err error) {
	text, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	folder := folder(dataDir, league)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	page = filepath.Join(folder, "invitations.html")
	for name, text := range map[string][]byte{filepath.Join(folder, "roster.csv"): text, page: invitations} {
		if err := renameio.WriteFile(name, text, 0o600, renameio.IgnoreUmask()); err != nil {
			return "", err
		}
	}
	return page, nil
}

// folder has the files of a class. It is not below data/leagues, which anyone may download after the end of a league.
func folder(dataDir, league string) string { return filepath.Join(dataDir, "rosters", league) }

// Names returns the names of the agents to invite, in the order of the file.
func (r Roster) Names() (names []string) {
	for _, row := range r.Rows {
		if row.Name != "" {
			names = append(names, row.Agent)
		}
	}
	return names
}

// parse returns the roster in a CSV. It accepts a byte order mark, and commas, semicolons and tabs as separators.
func parse(file string, text []byte) (r Roster, err error) {
	r.format = fileFormat{mark: bytes.HasPrefix(text, []byte(byteOrderMark)), crlf: bytes.Contains(text, []byte("\r\n"))}
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	if !utf8.Valid(text) {
		return r, fmt.Errorf("%s: the file is not in UTF-8; save it as \"CSV UTF-8\"", file)
	}
	r.format.comma = separator(text)
	in := csv.NewReader(bytes.NewReader(text))
	in.FieldsPerRecord, in.Comma = -1, r.format.comma
	columns, seen := columns{name: 0, first: none, agent: none}, map[string]int{}
	for begun := false; ; begun = true {
		cells, line, err := next(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Roster{}, fmt.Errorf("%s:%w", file, err)
		}
		if found, headed := columnsOf(cells); !begun && headed {
			columns, r.Header = found, cells
			continue
		}
		row, err := columns.row(cells)
		if err != nil {
			return Roster{}, fmt.Errorf("%s:%d: %w", file, line, err)
		}
		if before, twice := seen[row.Agent]; twice && row.Name != "" {
			return Roster{}, fmt.Errorf("%s:%d: %q is also in line %d; two agents cannot have the same name, give them names "+
				"in a column headed agent", file, line, row.Agent, before)
		}
		seen[row.Agent] = line
		r.Rows = append(r.Rows, row)
	}
	if len(r.Names()) == 0 {
		return Roster{}, fmt.Errorf("%s: no names found; write one name per line", file)
	}
	return r, nil
}

const byteOrderMark = "\ufeff"

// next returns the next row that is not blank, and its line. The error begins with the line.
func next(in *csv.Reader) (cells []string, line int, err error) {
	for {
		cells, err = in.Read()
		if bad := (*csv.ParseError)(nil); errors.As(err, &bad) {
			return nil, 0, fmt.Errorf("%d: %w", bad.Line, bad.Err)
		}
		if err != nil {
			return nil, 0, err
		}
		if strings.TrimSpace(strings.Join(cells, "")) != "" { // spreadsheets export blank rows
			line, _ = in.FieldPos(0)
			return cells, line, nil
		}
	}
}

// separator returns the character that separates the cells of the first line.
func separator(text []byte) rune {
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, "\r\n"), []byte("\n"))
	best, most := ',', bytes.Count(line, []byte(","))
	for _, other := range ";\t" {
		if n := bytes.Count(line, []byte(string(other))); n > most {
			best, most = other, n
		}
	}
	return best
}

// Write writes keys and addresses as CSV.
func Write(out io.Writer, list []protocol.Invitation) error {
	lines := [][]string{{"name", "key", "address"}}
	for _, i := range list {
		lines = append(lines, []string{sheet.NoFormula(i.DisplayName), i.Key, i.Address})
	}
	return csv.NewWriter(out).WriteAll(lines)
}
