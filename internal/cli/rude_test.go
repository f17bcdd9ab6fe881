package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"agentleague/client"
	"agentleague/internal/cli/show"
	"agentleague/internal/term"
	"agentleague/protocol"
)

// rude has names that agents of a third-party manager or referee may have, before any check.
var rude = []string{
	"<script>alert(1)</script>", strings.Repeat("🦊", 2500), "\u202egnp.exe\u202c", "\x1b[2J\x1b]0;owned\x07", "two\nlines\r\n", "\u009b2J", "a\tb", "torn \xff",
}

func TestRudeNamesDoNotMoveTheCursor(t *testing.T) {
	t.Parallel()
	for _, name := range rude {
		for what, write := range map[string]func(a *app){
			"status": func(a *app) {
				show.Status(a.out, name, "", protocol.LeagueStatus{State: name, Missing: name, PauseReason: name}, client.Directory{Agents: []protocol.AgentInfo{{ID: name, DisplayName: name, State: name, Dialect: name, Endpoint: name, Why: name}}, Orders: []protocol.OrderInfo{{Order: name, AgentID: name, By: name, At: name}, {Order: "withdraw", AgentID: name, By: name}}, Warnings: []protocol.Warning{{Text: name, Address: name, At: name}}})
			},
			"standings": func(a *app) { term.PrintTable(a.out, []protocol.Standing{{PlayerID: name, DisplayName: name}}, nil) },
			"table": func(a *app) {
				_, _ = a.out.Write([]byte(strings.ReplaceAll(term.Table([]protocol.Standing{{PlayerID: name, DisplayName: name}}, nil, 80), "\x1b[", "")))
			},
			"replay": func(a *app) {
				show.Match(a.out, protocol.MatchRecord{MatchID: name, GameType: name, PlayerAID: name, RefereeID: name, Result: protocol.GameResult{Reason: name},
					Transcript: []protocol.TranscriptEntry{{From: name, To: name, MessageType: protocol.Type(name), Timestamp: "T" + name, Message: json.RawMessage(`{"parity_choice":"` + "\u009b\u202e" + `"}`)}}})
			},
			"json":    func(a *app) { _ = a.print(map[string]string{"display_name": name}) },
			"watched": func(a *app) { _, _ = a.out.Write([]byte(term.Line(protocol.LeagueStatus{PauseReason: name}))) },
			"error":   func(a *app) { _, _ = a.out.Write([]byte(shown{errText(name)}.Error())) },
		} {
			var out bytes.Buffer
			write(&app{out: &out, err: &out})
			for _, r := range out.String() {
				if r != '\n' && r != unicode.ReplacementChar && !unicode.IsPrint(r) {
					t.Errorf("%s of %.20q: %U is shown", what, name, r)
					break
				}
			}
			if out.Len() > 68<<10 {
				t.Errorf("%s of %.20q takes %d bytes", what, name, out.Len())
			}
		}
	}
}

type errText string

func (e errText) Error() string { return string(e) }
