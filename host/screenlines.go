package host

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"agentleague/protocol"
)

// screenLines is a [slog.Handler] that writes an agent's log as sentences for a person at a terminal:
//
//	14:03:05 a referee refuses a match: the agent answered HTTP 500 (match R1M1, referee REF01)
type screenLines struct {
	w     io.Writer
	level slog.Level
	attrs []slog.Attr
}

// Enabled reports whether a level is shown.
func (h *screenLines) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

// Handle writes one line.
func (h *screenLines) Handle(_ context.Context, r slog.Record) error {
	var why string
	var about []string
	add := func(a slog.Attr) bool {
		switch text := protocol.Plain(a.Value.Resolve().String()); {
		case a.Key == "error":
			why = ": " + text
		case a.Key == "league_id" || a.Key == "event_type" || text == "":
		default:
			about = append(about, strings.ReplaceAll(strings.TrimSuffix(a.Key, "_id"), "_", " ")+" "+text)
		}
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	line := r.Time.Format("15:04:05 ") + protocol.Plain(r.Message) + why
	if len(about) > 0 {
		line += " (" + strings.Join(about, ", ") + ")"
	}
	_, err := fmt.Fprintln(h.w, line)
	return err
}

// WithAttrs returns a handler that adds attributes to every line.
func (h *screenLines) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &screenLines{h.w, h.level, append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)}
}

// WithGroup returns the same handler: a sentence has no groups.
func (h *screenLines) WithGroup(string) slog.Handler { return h }
