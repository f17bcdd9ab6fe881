package host

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"agentleague/rpc"
	"agentleague/store"
	"agentleague/store/logs"
)

// LogMessages returns a function that logs the metadata of every message, and never the content, and counts the broken
// rules. It ignores write errors.
func LogMessages(log *logs.Log, broken *store.Conformance) func(rpc.Message) {
	lines := log.Handler()
	return func(m rpc.Message) {
		for _, v := range m.Violations {
			broken.Add(store.BrokenRule{
				Agent: m.Agent, Verified: m.Verified, MessageType: m.Type, Rule: v.Rule, Document: v.Document, Section: v.Section,
				Member: v.Member, Detail: v.Detail, Refused: v.Kind != nil,
			})
		}
		p := logs.Passing{Sent: m.Sent, Peer: m.Peer}
		if m.Message != nil {
			head := m.Message.Head()
			p.Type, p.Conversation, p.Match = string(head.MessageType), head.ConversationID, head.MatchID
			if !m.Sent && head.Sender != "" {
				p.Peer = head.Sender
			}
		}
		for _, v := range m.Violations {
			m.Warnings = append(slices.Clip(m.Warnings), "breaks "+v.Rule+" ("+v.Document+", section "+v.Section+"): "+v.Detail)
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
