package logs

import (
	"log/slog"
	"time"
)

// A Passing describes a message that an agent sent or received, for its log. It has the type of the message, never
// the content.
type Passing struct {
	Sent         bool
	Type         string // of the message; "": unknown
	Conversation string
	Match        string // "": no match
	Peer         string // the receiver, or the sender
}

// words returns the event type, the verb, the name of the attribute for the other agent, and the message type.
func (p Passing) words() (event, verb, who, kind string) {
	event, verb, who, kind = "MESSAGE_RECEIVED", "received ", "sender", p.Type
	if p.Sent {
		event, verb, who = "MESSAGE_SENT", "sent ", "recipient"
	}
	if kind == "" {
		kind = "an answer"
	}
	return event, verb, who, kind
}

// Record returns the passing as a record of log/slog, with more attributes.
func (p Passing) Record(at time.Time, level slog.Level, more ...slog.Attr) slog.Record {
	event, verb, who, kind := p.words()
	r := slog.NewRecord(at, level, verb+kind, 0)
	r.AddAttrs(slog.String("event_type", event))
	if p.Type != "" {
		r.AddAttrs(slog.String("message_type", p.Type), slog.String("conversation_id", p.Conversation))
	}
	if p.Match != "" {
		r.AddAttrs(slog.String("match_id", p.Match))
	}
	r.AddAttrs(slog.String(who, p.Peer))
	r.AddAttrs(more...)
	return r
}

// Passed writes a passing as a DEBUG line, the same line that the log's handler would write for its Record. It
// encodes the line directly, since there are many per match, and does not search values of this program for
// tokens.
func (l *Log) Passed(at time.Time, p Passing) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	start := len(l.wait)
	line := append(stamped(l.room(), at), `,"level":"DEBUG","component":`...)
	line = append(l.ownName(line, l.component), `,"agent_id":`...)
	agent := len(line)
	line = l.ownName(line, l.agent)
	rest := len(line)
	l.wait = p.appendTo(line)
	if l.early != nil {
		l.early.keep(l.wait[start:], agent-start, l.wait[rest:])
	}
	return l.later()
}

// ownName appends the log's component or agent to a line.
func (l *Log) ownName(line []byte, name string) []byte {
	if l.plain {
		return append(append(append(line, '"'), name...), '"')
	}
	return appendQuote(line, name, maxName)
}

// appendTo appends the part of a line after the agent's id.
func (p *Passing) appendTo(line []byte) []byte {
	line = p.appendKind(line)
	if p.Type != "" && p.Conversation != "" {
		line = appendQuote(append(line, `,"conversation_id":`...), p.Conversation, maxName)
	}
	if p.Match != "" {
		line = appendQuote(append(line, `,"match_id":`...), p.Match, maxName)
	}
	if p.Sent {
		line = append(line, `,"data":{"recipient":`...)
	} else {
		line = append(line, `,"data":{"sender":`...)
	}
	return append(appendQuote(line, p.Peer, maxValue), "}}\n"...)
}

// appendKind appends the event, the message of the line and the type of the passing. It checks only once whether
// the type needs escaping.
func (p *Passing) appendKind(line []byte) []byte {
	event, verb, _, kind := p.words()
	if len(kind) > maxName-len(`""`) || !simple(kind) {
		line = field(line, "event_type", event, maxName)
		line = field(line, "message", verb+kind, maxText)
		if p.Type != "" {
			line = field(line, "message_type", p.Type, maxName)
		}
		return line
	}
	if p.Sent {
		line = append(line, `,"event_type":"MESSAGE_SENT","message":"sent `...)
	} else {
		line = append(line, `,"event_type":"MESSAGE_RECEIVED","message":"received `...)
	}
	line = append(append(line, kind...), '"')
	if p.Type != "" {
		line = append(append(append(line, `,"message_type":"`...), p.Type...), '"')
	}
	return line
}
