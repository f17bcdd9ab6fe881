package check

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"agentleague/protocol"
)

// closingSteps judge all messages of the agent together.
func closingSteps(letter string) []Step {
	return []Step{
		{letter + "80", "the answer is in result", clauseMessages,
			`Put the message itself into result, with no wrapper around it.`, resultsAreMessages},
		{letter + "81", "every message names the protocol", clauseEnvelope,
			`Put "protocol":"league.v2" into every message that you send.`, overAll(func(s *session, f envelope) finding {
				if f["protocol"] != protocol.Version {
					return differ(`want "protocol":"league.v2", got %v`, shownValue(f["protocol"]))
				}
				return pass
			})},
		{letter + "82", "every message names its type", clauseEnvelope,
			`Put the message_type into every message that you send, answers too.`, overAll(func(s *session, f envelope) finding {
				if _, ok := f["message_type"].(string); !ok {
					return differ("want message_type")
				}
				return pass
			})},
		{letter + "83", "every message names its sender", clauseEnvelope,
			`Put your sender, such as player:P01, into every message that you send.`,
			overAll(func(s *session, f envelope) finding {
				if said, _ := f["sender"].(string); !saneSender(said, s.role) {
					return differ("want a sender such as %s, got %v", exampleSender(s.role), shownValue(f["sender"]))
				}
				return pass
			})},
		{letter + "84", "every message has a timestamp in UTC", clauseEnvelope,
			`Write the time in UTC into every message, as in 2025-01-15T10:30:00Z.`,
			overAll(func(s *session, f envelope) finding {
				said, _ := f["timestamp"].(string)
				if _, plain, err := protocol.ParseTime(said); err != nil || !plain {
					return differ("want a timestamp such as 2025-01-15T10:30:00Z, got %v", shownValue(f["timestamp"]))
				}
				return pass
			})},
		{letter + "85", "an answer repeats the conversation_id", clauseEnvelope,
			`Copy the conversation_id of the request into your answer.`, conversations},
		{letter + "86", "errors are written as specified", clauseErrors,
			`Write errors as {code, message, data, error_code, error_name, error_description}, with the name as message and a whole error message as data.`,
			errorForm},
		{letter + "87", "errors have the code from the table", clauseErrors,
			`Take the numeric code of an error from the table of errors.`, errorNumbers},
		{letter + "88", "no answer repeats a token", clauseErrors,
			`Write "tok_…(redacted)" where an error would show a token that somebody sent.`, noTokens},
		{letter + "89", "the agent is still alive", clauseRoles,
			`Catch whatever goes wrong in one request, so that the agent keeps answering others.`, stillAlive},
	}
}

// An envelope is a message as it was written, before anything of it was understood or filled in.
type envelope map[string]any

// shownValue is a member for a reader, without secrets.
func shownValue(v any) string {
	if v == nil {
		return "nothing"
	}
	return redacted(fmt.Appendf(nil, "%v", v))
}

// overAll judges the envelope of every message, answers included.
func overAll(judge func(s *session, f envelope) finding) func(context.Context, *session) finding {
	return func(_ context.Context, s *session) finding {
		s.mu.Lock()
		defer s.mu.Unlock()
		worst := skip("no message arrived")
		look := func(what protocol.Type, raw json.RawMessage, x *exchange) {
			var f envelope
			if json.Unmarshal(raw, &f) != nil || worst.level > skipped {
				return
			}
			if worst = judge(s, f); worst.level != passes {
				worst = found(worst.level, "%s: %s", what, worst.detail).in(x)
			}
		}
		for _, a := range s.answers {
			look(a.want, a.raw, a.exchange)
		}
		for _, m := range s.heard {
			if !s.stray(m.Head()) {
				look(m.Head().MessageType, m.Head().Source(), m.exchange)
			}
		}
		return worst
	}
}

// stray reports whether a message is meant for the previous agent at this port: an agent of another role pings it, or
// announces another league.
func (s *session) stray(h *protocol.Envelope) bool {
	role, _ := protocol.ParseSender(h.Sender)
	return isChecked(role) && role != s.role &&
		(h.MessageType == protocol.TypePing || h.LeagueID != "" && h.LeagueID != league)
}

// conversations checks every answer of the whole check: an agent with many concurrent calls matches answers by
// conversation_id.
func conversations(_ context.Context, s *session) finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.answers {
		var f envelope
		if json.Unmarshal(a.raw, &f) == nil && f["conversation_id"] != a.asked.ConversationID {
			return differ("%s: want the conversation_id %s, got %v", a.want, a.asked.ConversationID,
				shownValue(f["conversation_id"])).in(a.exchange)
		}
	}
	if len(s.answers) == 0 {
		return skip("no message arrived")
	}
	return pass
}

// resultsAreMessages expects plain messages. Few agents understand a message wrapped in another member, or in text.
func resultsAreMessages(_ context.Context, s *session) finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.answers {
		var direct, held envelope
		_ = json.Unmarshal(a.raw, &held)
		if json.Unmarshal(parseAnswer(a.got)["result"], &direct) != nil || len(direct) != len(held) {
			return differ("want the %s itself as the member result", a.want).in(a.exchange)
		}
	}
	if len(s.answers) == 0 {
		return skip("no message arrived")
	}
	return pass
}

// A wireError is the error member of an answer.
type wireError struct {
	Code        int
	Message     string
	ErrorCode   string                     `json:"error_code"`
	Name        string                     `json:"error_name"`
	Description string                     `json:"error_description"`
	Data        map[string]json.RawMessage `json:"data"`
}

// overErrors judges every error of the protocol that the agent has answered with.
func overErrors(s *session, judge func(e wireError, r refused) finding) finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.errors) == 0 {
		return skip("no error arrived")
	}
	for _, r := range s.errors {
		var e wireError
		_ = json.Unmarshal(parseAnswer(r.got)["error"], &e)
		if e.Code == protocol.MethodNotFound {
			continue
		}
		if f := judge(e, r); f.level != passes {
			return f.in(r.exchange)
		}
	}
	return pass
}

// errorForm expects an error to be a message, LEAGUE_ERROR from a manager and GAME_ERROR from the others, for agents
// that read only messages.
func errorForm(_ context.Context, s *session) finding {
	want := protocol.TypeGameError
	if s.role == protocol.RoleManager {
		want = protocol.TypeLeagueError
	}
	return overErrors(s, func(e wireError, r refused) finding {
		kind, known := protocol.KindNamed(e.Name)
		var context struct{ Detail string }
		_ = json.Unmarshal(e.Data["context"], &context)
		switch {
		case !known || e.Message != kind.Name || e.Description != kind.Name:
			return differ("want the name of the error as message, error_name and error_description")
		case e.ErrorCode != kind.Code:
			return differ("%s: want error_code %s, got %q", kind.Name, kind.Code, e.ErrorCode)
		case string(e.Data["message_type"]) != `"`+string(want)+`"`:
			return differ("want a whole %s as data", want)
		case context.Detail == "":
			return differ("want a helpful sentence as data.context.detail")
		case string(e.Data["original_message_type"]) != `"`+string(r.asked)+`"`:
			return differ("want original_message_type %s in data", r.asked)
		}
		return pass
	})
}

// errorNumbers checks error codes. One kind of error has different codes in a registration and in a report.
func errorNumbers(_ context.Context, s *session) finding {
	return overErrors(s, func(e wireError, r refused) finding {
		kind, known := protocol.KindNamed(r.Name)
		if known && e.Code != kind.Numeric(r.asked) {
			return differ("%s in answer to %s: want the code %d, got %d", kind.Name, r.asked, kind.Numeric(r.asked), e.Code)
		}
		return pass
	})
}

// noTokens expects no tokens in errors, since errors are logged. It searches for the checker's token only; others are
// no secret here.
func noTokens(_ context.Context, s *session) finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.errors {
		if strings.Contains(string(r.got), wrongToken) {
			return differ("the error shows the token that was sent").in(r.exchange)
		}
	}
	if len(s.errors) == 0 {
		return skip("no error arrived")
	}
	return pass
}

// stillAlive comes last: an earlier message may have crashed the agent only after its answer.
func stillAlive(ctx context.Context, s *session) finding {
	if x := s.get(ctx, s.page("/health")); x.err != nil {
		return fail("it no longer answers: %v", x.err)
	}
	if x := s.post(ctx, fmt.Appendf(nil, pingRequest, "99")); x.err != nil {
		return fail("it no longer answers: %v", x.err)
	}
	return pass
}
