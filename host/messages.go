package host

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"agentleague/rpc"
	"agentleague/store/logs"
)

// LogMessages returns a function that logs the metadata of every message, and never the content. It ignores write
// errors.
func LogMessages(log *logs.Log) func(rpc.Message) {
	lines := log.Handler()
	return func(m rpc.Message) {
		p := logs.Passing{Sent: m.Sent, Peer: m.Peer}
		if m.Message != nil {
			head := m.Message.Head()
			p.Type, p.Conversation, p.Match = string(head.MessageType), head.ConversationID, head.MatchID
			if !m.Sent && head.Sender != "" {
				p.Peer = head.Sender
			}
		}
		if m.Err == nil && len(m.Warnings) == 0 {
			_ = log.Passed(time.Now(), p)
			return
		}
		_ = lines.Handle(context.Background(), p.Record(time.Now(), levelOf(m), more(m)...))
	}
}

// levelOf returns the log level of a message: a warning if it was unusual.
func levelOf(m rpc.Message) slog.Level {
	if len(m.Warnings) > 0 {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// more returns the log attributes of a message's error and warnings.
func more(m rpc.Message) (attrs []slog.Attr) {
	if m.Err != nil {
		attrs = append(attrs, slog.String("error", m.Err.Error()), slog.String("error_code", m.ErrorCode))
	}
	if len(m.Warnings) > 0 {
		attrs = append(attrs, slog.String("odd", strings.Join(m.Warnings, "; ")))
	}
	return attrs
}
