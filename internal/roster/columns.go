package roster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"agentleague/league/sheet"
	"agentleague/protocol"
)

// The headings of the columns that are read, in lower case, as Moodle, Canvas and teachers write them.
var (
	fullNames = []string{"name", "full name", "display name", "student", "student name", "vollständiger name", "schüler", "schüler/in",
		"teilnehmer", "teilnehmer/in"}
	firstNames = []string{"first name", "firstname", "given name", "vorname"}
	lastNames  = []string{"last name", "lastname", "surname", "family name", "nachname", "familienname", "name"}
	agentNames = []string{"agent", "agent name", "alias", "nickname", "pseudonym", "spitzname"}
)

// columns are the indexes of the columns that are read.
type columns struct{ name, first, agent int }

const none = -1

// columnsOf returns the columns of a header. It reports false if a row has no known heading and so is no header.
func columnsOf(cells []string) (c columns, ok bool) {
	at := func(headings []string) int {
		return slices.IndexFunc(cells, func(cell string) bool {
			return slices.Contains(headings, strings.ToLower(strings.TrimSpace(cell)))
		})
	}
	c = columns{at(fullNames), none, at(agentNames)}
	if first, last := at(firstNames), at(lastNames); first >= 0 && last >= 0 {
		c.name, c.first = last, first
	}
	if c.name == none {
		c.name = c.agent
	}
	return c, c.name != none
}

// notStudents are names in the lines that Canvas adds below its header.
var notStudents = []string{"points possible", "mögliche punkte"}

// row returns a student, or a line without a name that is no student.
func (c columns) row(cells []string) (row Row, err error) {
	row.Cells = cells
	if c.name < len(cells) && slices.Contains(notStudents, strings.ToLower(strings.TrimSpace(cells[c.name]))) {
		return row, nil
	}
	if c.name >= len(cells) || c.first >= len(cells) {
		return row, fmt.Errorf("it has %d columns, and the names are in column %d", len(cells), max(c.name, c.first)+1)
	}
	name := cells[c.name]
	if c.first != none {
		name = strings.TrimSpace(cells[c.first]) + " " + strings.TrimSpace(name)
	}
	if row.Name, err = Name(name); err != nil {
		return row, err
	}
	row.Agent = row.Name
	if c.agent != none && c.agent < len(cells) && strings.TrimSpace(cells[c.agent]) != "" {
		row.Agent, err = Name(cells[c.agent])
	}
	return row, err
}

// maxName is the maximum length of a name, in characters.
const maxName = 64

// Name returns a name that a person typed, without the leading quote that our exports add to prevent formula injection.
// It returns an error if the name is missing, too long or unprintable.
func Name(text string) (string, error) {
	name := strings.TrimSpace(text)
	if plain, ok := strings.CutPrefix(name, "'"); ok && sheet.NoFormula(plain) == name {
		name = plain
	}
	switch n := utf8.RuneCountInString(name); {
	case name == "":
		return "", errors.New("the name is missing")
	case n > maxName:
		return "", fmt.Errorf("%.20q… has %d characters; a name has at most %d", name, n, maxName)
	case protocol.Plain(name) != name || strings.ContainsAny(name, "\n\t"):
		return "", fmt.Errorf("%q has characters that cannot be shown; remove them", name)
	}
	return name, nil
}
