package host

import (
	"context"
	"errors"
	"log/slog"
)

// An agentHandler writes the log of an agent to its file, and important lines to the screen under the agent's name.
// The screen's handler is created when it is first needed: most agents of a large group never need it.
type agentHandler struct {
	file slog.Handler
	env  *Env
	name string
}

// Enabled reports whether a level is logged anywhere.
func (h *agentHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= h.env.Level || h.file.Enabled(ctx, level)
}

// Handle writes a record to the file and the screen.
func (h *agentHandler) Handle(ctx context.Context, r slog.Record) (err error) {
	if h.file.Enabled(ctx, r.Level) {
		err = h.file.Handle(ctx, r.Clone())
	}
	if r.Level >= h.env.Level {
		err = errors.Join(err, h.screen().Handle(ctx, r))
	}
	return err
}

// WithAttrs returns a handler that adds attributes to each line.
func (h *agentHandler) WithAttrs(attrs []slog.Attr) slog.Handler { return h.both().WithAttrs(attrs) }

// WithGroup returns a handler that puts later attributes into a group.
func (h *agentHandler) WithGroup(name string) slog.Handler { return h.both().WithGroup(name) }

// both returns a handler that writes to the file and the screen and supports attributes.
func (h *agentHandler) both() slog.Handler { return slog.NewMultiHandler(h.file, h.screen()) }

// screen returns the handler of the screen, which writes each line in one call.
func (h *agentHandler) screen() slog.Handler {
	if h.env.People {
		return &screenLines{w: h.env.Screen, level: h.env.Level}
	}
	lines := slog.NewTextHandler(h.env.Screen, &slog.HandlerOptions{Level: h.env.Level})
	return lines.WithAttrs([]slog.Attr{slog.String("agent", h.name)})
}
