package logs

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"

	"agentleague/protocol"
)

// A handler writes records of log/slog as the lines of a Log:
//
//	{"timestamp":…,"level":…,"component":…,"agent_id":…,"event_type":…,"message":…,
//	 "message_type":…,"conversation_id":…,"match_id":…,"data":{…}}
//
// The attributes event_type, message_type, conversation_id and match_id are members of the line, all others are in
// data.
type handler struct {
	log    *Log
	attrs  []slog.Attr
	groups []string
}

// Enabled reads the level at each call: it may change while the process runs.
func (h *handler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.log.level.Level()
}

// WithAttrs returns a copy of h with more attributes: loggers are shared by many goroutines.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *h
	c.attrs = slices.Concat(h.attrs, h.grouped(attrs))
	return &c
}

// WithGroup returns a copy of h with one more group. It clips the slice, so that two copies never share a backing
// array.
func (h *handler) WithGroup(name string) slog.Handler {
	c := *h
	if name != "" {
		c.groups = append(slices.Clip(h.groups), name)
	}
	return &c
}

// Handle writes a record as one line of JSON. The keys that every log of a league has are members of the line, the
// rest is in data.
func (h *handler) Handle(_ context.Context, r slog.Record) error {
	var e entry
	for _, a := range h.attrs {
		e.add(a)
	}
	var own []slog.Attr
	r.Attrs(func(a slog.Attr) bool {
		if len(h.groups) == 0 {
			e.add(a)
		} else {
			own = append(own, a)
		}
		return true
	})
	for _, a := range h.grouped(own) {
		e.add(a)
	}
	return h.log.write(r.Level, h.before(r), e.after(r.Message, h.log.component == protocol.Manager))
}

// grouped wraps attributes in the open groups.
func (h *handler) grouped(attrs []slog.Attr) []slog.Attr {
	for _, name := range slices.Backward(h.groups) {
		attrs = []slog.Attr{slog.GroupAttrs(name, attrs...)}
	}
	return attrs
}

// before returns the part of a line before the agent's id.
func (h *handler) before(r slog.Record) []byte {
	at := r.Time
	if at.IsZero() {
		at = time.Now()
	}
	line := stamped(make([]byte, 0, 512), at)
	line = field(line, "level", levelName(r.Level), maxName)
	line = field(line, "component", h.log.component, maxName)
	return append(line, `,"agent_id":`...)
}

// levelName returns the name of a level: that of the next lower of the four standard levels.
func levelName(l slog.Level) string {
	switch {
	case l < slog.LevelInfo:
		return "DEBUG"
	case l < slog.LevelWarn:
		return "INFO"
	case l < slog.LevelError:
		return "WARN"
	}
	return "ERROR"
}

// An entry holds the attributes of a record, sorted into members and data.
type entry struct {
	eventType, messageType, conversation, match string
	data                                        object
}

// add stores an attribute as a member or in data. A group called data becomes the line's data itself.
func (e *entry) add(a slog.Attr) {
	a.Value = a.Value.Resolve()
	if a.Value.Kind() == slog.KindGroup {
		e.addGroup(a)
		return
	}
	switch a.Key {
	case "event_type":
		e.eventType = a.Value.String()
	case "message_type":
		e.messageType = a.Value.String()
	case "conversation_id":
		e.conversation = a.Value.String()
	case "match_id":
		e.match = a.Value.String()
	default:
		e.data.add(a)
	}
}

// addGroup inlines a group without a name, and stores every other in data.
func (e *entry) addGroup(g slog.Attr) {
	switch g.Key {
	case "":
		for _, a := range g.Value.Group() {
			e.add(a)
		}
	case "data":
		e.data.addAll(g.Value.Group())
	default:
		e.data.add(g)
	}
}

// after returns the part of a line after the agent's id. Detailed repeats data as details, as the log of a league has
// it in the assignment.
func (e *entry) after(message string, detailed bool) []byte {
	if e.eventType == "" {
		e.eventType = eventType(message)
	}
	line := field(make([]byte, 0, 384), "event_type", e.eventType, maxName)
	line = field(line, "message", message, maxText)
	for _, f := range [...]struct{ name, value string }{
		{"message_type", e.messageType}, {"conversation_id", e.conversation}, {"match_id", e.match},
	} {
		if f.value != "" {
			line = field(line, f.name, f.value, maxName)
		}
	}
	if len(e.data) > 0 {
		data := e.data.json(maxData)
		line = append(append(line, `,"data":`...), data...)
		if detailed {
			line = append(append(line, `,"details":`...), data...)
		}
	}
	return append(line, "}\n"...)
}

// eventType derives an event type from a message: "agent registered" gives AGENT_REGISTERED, a longer sentence
// NOTICE.
func eventType(message string) string {
	words := strings.FieldsFunc(message, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	if len(words) == 0 || len(words) > 3 {
		return "NOTICE"
	}
	return strings.ToUpper(strings.Join(words, "_"))
}
