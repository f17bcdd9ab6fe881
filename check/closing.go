package check

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"agentleague/protocol"
)

// closingSteps returns the steps that judge all messages of the agent together, at the end of a check.
func closingSteps() map[string]judge {
	return map[string]judge{
		"80": answersWithMessages, "85": repeatsConversation, "86": errorForm, "87": errorNumbers, "88": noTokens,
		"89": stillAlive,
		"81": everyMessage(func(_ protocol.Role, e envelope) finding {
			if e["protocol"] != protocol.Version {
				return differ(`want "protocol":"league.v2", got %v`, e.shown("protocol"))
			}
			return pass
		}),
		"82": everyMessage(func(_ protocol.Role, e envelope) finding {
			if _, ok := e["message_type"].(string); !ok {
				return differ("want message_type")
			}
			return pass
		}),
		"83": everyMessage(func(role protocol.Role, e envelope) finding {
			if sender, _ := e["sender"].(string); !saneSender(sender, role) {
				return differ("want a sender such as %s, got %v", exampleSender(role), e.shown("sender"))
			}
			return pass
		}),
		"84": everyMessage(func(_ protocol.Role, e envelope) finding {
			stamp, _ := e["timestamp"].(string)
			if _, plain, err := protocol.ParseTime(stamp); err != nil || !plain {
				return differ("want a timestamp such as 2025-01-15T10:30:00Z, got %v", e.shown("timestamp"))
			}
			return pass
		}),
	}
}

// An envelope holds the members of a message as the agent wrote them, without defaults.
type envelope map[string]any

// shown formats a member for a finding and redacts secrets.
func (e envelope) shown(name string) string {
	if e[name] == nil {
		return "nothing"
	}
	return redacted(fmt.Appendf(nil, "%v", e[name]))
}

// saneSender reports whether a text can be the sender of an agent of that role.
func saneSender(sender string, role protocol.Role) bool {
	stated, id := protocol.ParseSender(sender)
	return stated == role && (id != "" || role == protocol.RoleManager)
}

// exampleSender returns a valid sender for an agent of the role.
func exampleSender(role protocol.Role) string {
	switch role {
	case protocol.RoleManager:
		return protocol.Manager
	case protocol.RoleReferee:
		return "referee:REF01"
	}
	return "player:P01"
}

// everyMessage returns a judge that applies judge to the envelope of every message and answer of the agent. Its result
// is the first finding that is not a pass.
func everyMessage(judge func(role protocol.Role, e envelope) finding) judge {
	return func(_ context.Context, s *session) finding {
		s.log.mu.Lock()
		defer s.log.mu.Unlock()
		worst := skip("no message arrived")
		look := func(what protocol.Type, raw json.RawMessage, x *exchange) {
			var e envelope
			if json.Unmarshal(raw, &e) != nil || worst.level > skipped {
				return
			}
			if worst = judge(s.role, e); worst.level != passes {
				worst = found(worst.level, "%s: %s", what, worst.detail).in(x)
			}
		}
		for _, a := range s.log.answers {
			look(a.want, a.raw, a.exchange)
		}
		for _, m := range s.log.received {
			if h := m.Head(); !isStray(h, s.role) {
				look(h.MessageType, h.Source(), m.exchange)
			}
		}
		return worst
	}
}

// isStray reports whether a message is meant for the previous agent at this port: an agent of another role pings it, or
// announces another league.
func isStray(h *protocol.Envelope, checked protocol.Role) bool {
	role, _ := protocol.ParseSender(h.Sender)
	return isChecked(role) && role != checked &&
		(h.MessageType == protocol.TypePing || h.LeagueID != "" && h.LeagueID != league)
}

// everyAnswer applies judge to the answers and returns the first finding that is not a pass.
func everyAnswer(s *session, judge func(a answer) finding) finding {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	for _, a := range s.log.answers {
		if f := judge(a); f.level != passes {
			return f.in(a.exchange)
		}
	}
	if len(s.log.answers) == 0 {
		return skip("no message arrived")
	}
	return pass
}

// repeatsConversation expects every answer to repeat the conversation_id of its request. A caller with many concurrent
// calls matches answers by it.
func repeatsConversation(_ context.Context, s *session) finding {
	return everyAnswer(s, func(a answer) finding {
		var e envelope
		if json.Unmarshal(a.raw, &e) == nil && e["conversation_id"] != a.asked.ConversationID {
			return differ("%s: want the conversation_id %s, got %v", a.want, a.asked.ConversationID,
				e.shown("conversation_id"))
		}
		return pass
	})
}

// answersWithMessages expects plain messages. Few agents understand a message wrapped in another member, or in text.
func answersWithMessages(_ context.Context, s *session) finding {
	return everyAnswer(s, func(a answer) finding {
		var direct, held envelope
		_ = json.Unmarshal(a.raw, &held)
		if json.Unmarshal(parseAnswer(a.got)["result"], &direct) != nil || len(direct) != len(held) {
			return differ("want the %s itself as the member result", a.want)
		}
		return pass
	})
}

// everyError applies judge to the error answers of the agent and returns the first finding that is not a pass.
func everyError(s *session, judge func(e wireError, r refused) finding) finding {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if len(s.log.errors) == 0 {
		return skip("no error arrived")
	}
	for _, r := range s.log.errors {
		var e wireError
		_ = json.Unmarshal(parseAnswer(r.got)["error"], &e)
		if f := judge(e, r); f.level != passes {
			return f.in(r.exchange)
		}
	}
	return pass
}

// errorForm expects an error to be a message, LEAGUE_ERROR from a manager and GAME_ERROR from any other agent, because
// some agents read only messages.
func errorForm(_ context.Context, s *session) finding {
	want := protocol.TypeGameError
	if s.role == protocol.RoleManager {
		want = protocol.TypeLeagueError
	}
	return everyError(s, func(e wireError, r refused) finding {
		kind, known := protocol.KindNamed(e.Name)
		var context struct{ Detail string }
		_ = json.Unmarshal(e.Data["context"], &context)
		switch {
		case e.Code == protocol.MethodNotFound:
			return pass
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

// errorNumbers expects the error code that the specification has for the message. Some errors have one code in a
// registration and another in a report.
func errorNumbers(_ context.Context, s *session) finding {
	return everyError(s, func(e wireError, r refused) finding {
		kind, known := protocol.KindNamed(r.Name)
		if known && e.Code != protocol.MethodNotFound && e.Code != kind.Numeric(r.asked) {
			return differ("%s in answer to %s: want the code %d, got %d", kind.Name, r.asked, kind.Numeric(r.asked), e.Code)
		}
		return pass
	})
}

// noTokens expects error answers not to repeat the token that was sent, because errors are logged. It searches only for
// the invalid token of the checker.
func noTokens(_ context.Context, s *session) finding {
	return everyError(s, func(_ wireError, r refused) finding {
		if strings.Contains(string(r.got), wrongToken) {
			return differ("the error shows the token that was sent")
		}
		return pass
	})
}

// stillAlive is the last step: a message may have crashed the agent after its answer.
func stillAlive(ctx context.Context, s *session) finding {
	x := s.wire.get(ctx, s.wire.page("/health"))
	if x.err == nil {
		x = s.wire.post(ctx, ping("99"))
	}
	if x.err != nil {
		return fail("it no longer answers: %v", x.err).in(x)
	}
	return pass
}
