package seat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/player"
	"agentleague/protocol"
)

// A host that can asks its user: "even or odd for R1M1?". In MCP from 2026-07-28
// on, the tool returns the question, and is called again with the answer; before
// that the server asks while the tool waits.

// firstWithoutCalls is the first version of MCP in which a server calls no client.
const firstWithoutCalls = "2026-07-28"

// askPerson has the host ask its user for the move of the turn that is due first.
func (t *Seat) askPerson(ctx context.Context, req *mcp.CallToolRequest, u player.Update) (*mcp.CallToolResult,
	Report, error) {
	host, turn := req.Session.InitializeParams(), u.Turns[0]
	if host == nil || host.Capabilities == nil || host.Capabilities.Elicitation == nil {
		r := t.tell(u)
		r.Next = "This host cannot ask its user. Ask the user yourself, or choose a move, and call make_move. " + r.Next
		return nil, r, nil
	}
	if host.ProtocolVersion >= firstWithoutCalls {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{turn.ID: t.question(turn)}}, Report{}, nil
	}
	wait, cancel := context.WithDeadline(ctx, turn.Deadline)
	defer cancel()
	answer, err := req.Session.Elicit(wait, t.question(turn))
	if err != nil && wait.Err() == nil {
		return nil, Report{}, fmt.Errorf("the host did not ask its user: %w; choose yourself and call make_move", err)
	}
	if err != nil { // the time of the turn is up
		t.outlast(ctx, turn.ID)
		answer = &mcp.ElicitResult{Action: "cancel"}
	}
	return t.answered(mcp.InputResponseMap{turn.ID: answer})
}

// outlast returns when a turn is over.
func (t *Seat) outlast(ctx context.Context, turnID string) {
	for u, err := t.Player.Look(newsAside), error(nil); err == nil; u, err = t.Player.Wait(ctx, u.Seq) {
		if !slices.ContainsFunc(u.Turns, func(open player.Turn) bool { return open.ID == turnID }) {
			return
		}
	}
}

// question asks a person for the move of a turn.
func (t *Seat) question(turn player.Turn) *mcp.ElicitParams {
	asked := t.asked(turn, t.Player.Look(newsAside).Table, time.Now())
	property := map[string]any{"type": "string", "title": "Your move"}
	if len(asked.Choices) > 0 {
		property["enum"] = asked.Choices
	}
	text := fmt.Sprintf("%s for %s? You play %s against %s in %s and have %.0f seconds.",
		orList(asked.Choices), asked.MatchID, t.PlayerID(), asked.opponent(), asked.Game, asked.SecondsLeft)
	if asked.Rules != "" {
		text += " " + asked.Rules
	}
	if len(turn.View.Context) > 0 && string(turn.View.Context) != "{}" {
		text += fmt.Sprintf(" You see: %s", turn.View.Context)
	}
	if asked.Refused != "" {
		text += " The referee did not accept your last move: " + asked.Refused
	}
	text = protocol.Plain(text)
	return &mcp.ElicitParams{
		Mode: "form", Message: text,
		RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"move": property}, "required": []string{"move"},
		},
	}
}

// answered plays a person's answer, and returns the new report. An answer without a choice leaves the turn open.
func (t *Seat) answered(answers mcp.InputResponseMap) (*mcp.CallToolResult, Report, error) {
	next := "The person did not choose. "
	for turnID, answer := range answers {
		said, ok := answer.(*mcp.ElicitResult)
		if !ok {
			return nil, Report{}, fmt.Errorf("want the answer to the question for turn %.60q", turnID)
		}
		if said.Action != "accept" {
			if _, err := t.openTurn(turnID); err != nil {
				return nil, Report{}, fmt.Errorf("no move came from the person; %w", err)
			}
			continue
		}
		given, err := json.Marshal(said.Content["move"])
		if err != nil {
			return nil, Report{}, err
		}
		if _, err := t.Play(turnID, given); err != nil {
			return nil, Report{}, err
		}
		next = fmt.Sprintf("The person played %s in %s. ", given, turnID)
	}
	r := t.tell(t.look())
	r.Next = next + r.Next
	return nil, r, nil
}
