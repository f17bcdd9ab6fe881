package files

import (
	"log/slog"
	"time"
)

// A Passing is a message that an agent sent or received, as its log tells it: that it passed, never what it says.
type Passing struct {
	Sent         bool
	Type         string // of the message; "": it could not be told
	Conversation string
	Match        string // "": it is about none
	Peer         string // to whom it went, or from whom it came
}

// words are how a passing is told.
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

// Record is the passing as log/slog has it, for one of which there is more to tell.
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

// Passed writes a passing as a DEBUG line, the one that the log's handler would write of its Record. There are many to
// every match, so it is written with nothing in between.
func (l *Log) Passed(at time.Time, p Passing) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.usable(); err != nil {
		return err
	}
	event, verb, who, kind := p.words()
	start := len(l.wait)
	line := stamped(l.room(), at)
	line = field(line, "level", levelName(slog.LevelDebug), maxName)
	line = field(line, "component", l.component, maxName)
	line = append(line, `,"agent_id":`...)
	agent := len(line)
	line = appendQuote(line, l.agent, maxName)
	rest := len(line)
	line = field(line, "event_type", event, maxName)
	if simple(kind) && len(kind) < maxName {
		line = append(append(append(append(line, `,"message":"`...), verb...), kind...), '"')
	} else {
		line = field(line, "message", verb+kind, maxText)
	}
	if p.Type != "" {
		line = field(line, "message_type", p.Type, maxName)
		if p.Conversation != "" {
			line = field(line, "conversation_id", p.Conversation, maxName)
		}
	}
	if p.Match != "" {
		line = field(line, "match_id", p.Match, maxName)
	}
	line = append(append(append(line, `,"data":{"`...), who...), `":`...)
	l.wait = append(appendQuote(line, p.Peer, maxValue), "}}\n"...)
	l.early.keep(l.wait[start:], agent-start, l.wait[rest:])
	return l.later()
}
