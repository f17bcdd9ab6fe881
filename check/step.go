package check

import (
	"strings"

	"agentleague/protocol"
)

// A Step is one test.
type Step struct {
	ID     string // P07, R07, M07; never used for anything else
	Name   string
	Clause string // the section of doc/protocol-spec.md that demands it
	Fix    string // advice for a failure, in one sentence

	spec string // the specification's text, word for word
}

// Quote returns the specification's text for a step, without Markdown, and the number of its section.
func (s Step) Quote() string {
	text := strings.NewReplacer("`", "", "**", "", "\\|", "|").Replace(s.spec)
	return "“" + strings.Trim(text, "| ") + "” (the protocol, section " + s.Clause + ")"
}

// letters maps the roles that can be checked to the first letter of their steps' ids.
var letters = map[protocol.Role]byte{protocol.RolePlayer: 'P', protocol.RoleReferee: 'R', protocol.RoleManager: 'M'}

// isChecked reports whether agents of a role can be checked.
func isChecked(role protocol.Role) bool { return letters[role] != 0 }
