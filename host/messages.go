package host

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"agentleague/rpc"
	"agentleague/store/logs"
)

// LogMessages writes every message to an agent's log: its metadata, never its content. Write errors are ignored.
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

// levelOf is how much a message matters that did not simply pass.
func levelOf(m rpc.Message) slog.Level {
	if len(m.Warnings) > 0 {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// more has the further attributes of such a message.
func more(m rpc.Message) (attrs []slog.Attr) {
	if m.Err != nil {
		attrs = append(attrs, slog.String("error", m.Err.Error()), slog.String("error_code", m.ErrorCode))
	}
	if len(m.Warnings) > 0 {
		attrs = append(attrs, slog.String("odd", strings.Join(m.Warnings, "; ")))
	}
	return attrs
}
