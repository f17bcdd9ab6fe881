package check

import (
	"context"

	"agentleague/protocol"
)

// A Step is one test.
type Step struct {
	ID     string // P07, R07, M07; never used for anything else
	Name   string
	Clause string // the section of doc/protocol-spec.md that demands it
	Fix    string // advice for a failure, in one sentence

	run func(ctx context.Context, s *session) finding
}

// A row is a step that sees the session as the checks of one role do.
type row[T ~struct{ *session }] struct {
	ID, Name, Clause, Fix string
	run                   func(ctx context.Context, s T) finding
}

// stepsOf returns the rows of one role as steps.
func stepsOf[T ~struct{ *session }](rows []row[T]) (out []Step) {
	for _, r := range rows {
		out = append(out, Step{r.ID, r.Name, r.Clause, r.Fix, func(ctx context.Context, s *session) finding {
			return r.run(ctx, T(struct{ *session }{s}))
		}})
	}
	return out
}

// isChecked reports whether agents of a role can be checked.
func isChecked(role protocol.Role) bool {
	return role == protocol.RolePlayer || role == protocol.RoleReferee || role == protocol.RoleManager
}

// The sections of doc/protocol-spec.md.
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
