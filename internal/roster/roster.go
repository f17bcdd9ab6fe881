// Package roster reads the list of names of a class, and writes it with the join keys.
package roster

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"agentleague/internal/term"
	"agentleague/league/sheet"
	"agentleague/protocol"
)

// Read reads the names of a class from a file.
func Read(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w; give a CSV file with a column of names", err)
	}
	return parse(file, text)
}

// parse returns the names in a CSV: the column with the header "name", or the first column if there is no header.
// It accepts a byte order mark and semicolons as separators, which many spreadsheets write.
func parse(file string, text []byte) (names []string, err error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: the file is not in UTF-8; save it as \"CSV UTF-8\"", file)
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord, r.Comma = -1, separator(text)
	column, seen := 0, map[string]int{}
	for first := true; ; {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if bad := (*csv.ParseError)(nil); errors.As(err, &bad) {
			return nil, fmt.Errorf("%s:%d: %w", file, bad.Line, bad.Err)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if blank(row) {
			continue
		}
		if at, headed := header(row); first && headed {
			column, first = at, false
			continue
		}
		first = false
		line, _ := r.FieldPos(0)
		name, err := named(row, column)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, line, err)
		}
		if before, twice := seen[name]; twice {
			return nil, fmt.Errorf("%s:%d: %q is also in line %d; two agents cannot have the same name", file, line, name, before)
		}
		seen[name] = line
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no names found; write one name per line", file)
	}
	return names, nil
}

// separator returns the character that separates the cells of the first line.
func separator(text []byte) rune {
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, "\r\n"), []byte("\n"))
	if bytes.Count(line, []byte(";")) > bytes.Count(line, []byte(",")) {
		return ';'
	}
	return ','
}

// blank reports whether all cells of a row are empty; spreadsheets export such rows.
func blank(row []string) bool { return strings.TrimSpace(strings.Join(row, "")) == "" }

// header returns the index of the cell "name". It reports false if the row has none and so is not a header.
func header(row []string) (column int, ok bool) {
	for i, cell := range row {
		if strings.EqualFold(strings.TrimSpace(cell), "name") {
			return i, true
		}
	}
	return 0, false
}

// maxName is the maximum length of a name, in characters.
const maxName = 64

// Name returns the name of an agent that a person typed, or an error if it is missing, too long or unprintable.
func Name(text string) (string, error) { return named([]string{text}, 0) }

// named returns the name in a row's column, without the leading quote that our exports add to prevent formula
// injection. It rejects missing, long and unprintable names.
func named(row []string, column int) (string, error) {
	if column >= len(row) {
		return "", fmt.Errorf("it has %d columns, and the names are in column %d", len(row), column+1)
	}
	name := strings.TrimSpace(row[column])
	if plain, ok := strings.CutPrefix(name, "'"); ok && sheet.NoFormula(plain) == name {
		name = plain
	}
	switch n := utf8.RuneCountInString(name); {
	case name == "":
		return "", errors.New("the name is missing")
	case n > maxName:
		return "", fmt.Errorf("%.20q… has %d characters; a name has at most %d", name, n, maxName)
	case term.Plain(name) != name:
		return "", fmt.Errorf("%q has characters that cannot be shown; remove them", name)
	}
	return name, nil
}

// Write writes keys and addresses as CSV.
func Write(out io.Writer, list []protocol.Invitation) error {
	lines := [][]string{{"name", "key", "address"}}
	for _, i := range list {
		lines = append(lines, []string{sheet.NoFormula(i.DisplayName), i.Key, i.Address})
	}
	return csv.NewWriter(out).WriteAll(lines)
}
