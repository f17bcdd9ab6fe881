package check

import (
	"context"
	"time"

	"agentleague/protocol"
)

// A fault is a message that is wrong in one way.
type fault struct {
	id, name, clause, fix string
	mutations             []mutation
	want                  []*protocol.Kind // nil: it is to be taken
	either                bool             // it may be taken as well
}

// faultSteps send the player wrong calls in a match that is open.
func faultSteps() []Step {
	var rows []row[playerCheck]
	for _, f := range envelopeFaults("P", "match_id", "a call") {
		rows = append(rows, row[playerCheck]{f.id, f.name, f.clause, f.fix, func(ctx context.Context, s playerCheck) finding {
			if _, why := s.undecided(ctx); why.level != passes {
				return why
			}
			match := s.match(6, 1)
			if r := once(s.session, "faults", func() reply { return s.join(ctx, match) }); r.err != nil {
				return skip("it does not join another match")
			}
			return f.judge(s.say(ctx, asReferee, s.parityCall(match), f.mutations...))
		}})
	}
	return stepsOf(rows)
}

// judge judges the answer to a fault.
func (f fault) judge(r reply) finding {
	taken := r.err == nil && r.Message != nil
	switch {
	case f.want == nil && taken, f.either && taken:
		return pass
	case f.want == nil:
		if no, ok := r.err.(*protocol.Refusal); ok {
			return differ("%s: it refuses: %s", r.about(), said(no)).in(r.x)
		}
		return differ("%s: want an answer, as to any other message", r.about()).in(r.x)
	}
	return wantError(r, f.want...)
}

// envelopeFaults are the ways in which an envelope can be wrong. Needed is a
// member of text without which the message cannot be acted on.
func envelopeFaults(letter, needed, what string) []fault {
	hyphenless := time.Now().UTC().Format("20060102T15:04:05Z")
	one := func(kinds ...*protocol.Kind) []*protocol.Kind { return kinds }
	return []fault{
		{letter + "50", what + " without " + needed + " is E003", clauseEnvelope,
			"Answer a message without a required member with MISSING_REQUIRED_FIELD, and name the member.",
			[]mutation{without(needed)}, one(protocol.MissingField), false},
		{letter + "51", "a member of the wrong type is E002", clauseEnvelope,
			"Answer a member of the wrong type with INVALID_MESSAGE, and name the member.",
			[]mutation{with(needed, map[string]any{"a": 1})}, one(protocol.InvalidMessage), false},
		{letter + "52", "another protocol is E018", clauseEnvelope,
			`Refuse messages whose protocol is not "league.v2" with PROTOCOL_VERSION_MISMATCH.`,
			[]mutation{with("protocol", "league.v1")}, one(protocol.VersionMismatch), false},
		{letter + "53", "a timestamp that is not UTC is E021", clauseEnvelope,
			"Refuse a timestamp with an offset other than Z or +00:00 with INVALID_TIMESTAMP.",
			[]mutation{with("timestamp", "2025-01-15T12:30:00+02:00")}, one(protocol.InvalidTimestamp), false},
		{letter + "54", "a timestamp that cannot be read is E021", clauseEnvelope,
			"Refuse a timestamp that is not a time with INVALID_TIMESTAMP.", []mutation{with("timestamp", "yesterday")},
			one(protocol.InvalidTimestamp), false},
		{letter + "55", "+00:00 and fractions of seconds are UTC too", clauseEnvelope,
			"Read timestamps with a library: 2025-01-15T10:30:00.123+00:00 is UTC.",
			[]mutation{with("timestamp", "2025-01-15T10:30:00.123456+00:00")}, nil, false},
		{letter + "56", "a timestamp without hyphens is accepted, or E021", clauseEnvelope,
			"Read a timestamp without hyphens, or refuse it with INVALID_TIMESTAMP.", []mutation{with("timestamp", hyphenless)},
			one(protocol.InvalidTimestamp), true},
		{letter + "57", "a sender without a role is E002", clauseEnvelope,
			"Refuse a sender that is not role:id with INVALID_MESSAGE.", []mutation{with("sender", "nobody")},
			one(protocol.InvalidMessage), false},
		{letter + "58", "unknown members are ignored", clauseEnvelope,
			"Ignore members that you do not know, at every depth.",
			[]mutation{beside("conversation_id", "x_check", map[string]any{"a": []any{1}}),
				beside("opponent_id", "x_check", "more")}, nil, false},
		{letter + "59", "a round_id that is a string is read by its digits", clauseRoles,
			`Accept round_id as a number and as a string: "ROUND_1" is round 1.`, []mutation{with("round_id", "ROUND_1")}, nil, false},
		{letter + "60", "names of members are case-sensitive", clauseEnvelope,
			"Compare member names exactly: Match_ID is not match_id.", []mutation{func(o map[string]any) {
				if v, ok := o[needed]; ok {
					delete(o, needed)
					o[title(needed)] = v
				}
			}}, one(protocol.MissingField), false},
	}
}

func title(name string) string { return string(name[0]-'a'+'A') + name[1:] }
