package check

import (
	"context"
	"fmt"

	"agentleague/protocol"
)

// A Step is one thing that is looked at.
type Step struct {
	ID     string // P07, R07, M07; never used for anything else
	Name   string
	Clause string // the section of docs/protocol/protocol-spec.md that demands it
	Fix    string // what to do when it fails, in one sentence

	run func(ctx context.Context, s *session) finding
}

// Steps lists what is looked at in an agent of a role, in order.
func Steps(role protocol.Role) []Step {
	switch role {
	case protocol.RolePlayer:
		return playerSteps()
	case protocol.RoleReferee:
		return refereeSteps()
	case protocol.RoleManager:
		return managerSteps()
	}
	return nil
}

// The sections of docs/protocol/protocol-spec.md.
const (
	clauseRoles        = "Roles and addresses"
	clauseEnvelope     = "Envelope"
	clauseMessages     = "Messages"
	clausePayloads     = "Payloads"
	clauseQueries      = "Queries and tools"
	clauseRegistration = "Registration"
	clauseErrors       = "Errors"
	clauseMatch        = "A match"
	clauseDraw         = "The draw"
	clauseTokens       = "Tokens"
)

// A level is how bad a finding is.
type level int

const (
	passes  level = iota
	skipped       // it could not be looked at
	odd           // allowed, and not a good idea: a warning
	differs       // not as specified, and can be lived with: fails in a strict check
	broken        // nobody can play with that
)

// A finding is what a step found.
type finding struct {
	level  level
	detail string
	at     *exchange // where it shows; nil: in the step's last exchange
}

var pass = finding{}

func skip(format string, args ...any) finding   { return found(skipped, format, args...) }
func advise(format string, args ...any) finding { return found(odd, format, args...) }
func differ(format string, args ...any) finding { return found(differs, format, args...) }
func fail(format string, args ...any) finding   { return found(broken, format, args...) }

func found(l level, format string, args ...any) finding {
	return finding{level: l, detail: fmt.Sprintf(format, args...)}
}

// in says in which exchange a finding shows.
func (f finding) in(x *exchange) finding {
	f.at = x
	return f
}

// status is the word for a level.
func (l level) status(strict bool) string {
	switch {
	case l == passes:
		return protocol.Pass
	case l == skipped:
		return protocol.Skip
	case l == broken, l == differs && strict:
		return protocol.Fail
	}
	return protocol.Warn
}

// first returns the first finding that is not a pass.
func first(findings ...finding) finding {
	for _, f := range findings {
		if f.level != passes {
			return f
		}
	}
	return pass
}
