package manager_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/league/mcpserver"
)

// lookOverMCP reads everything that the agents show to MCP clients, and calls
// every tool that needs no token.
func (w *world) lookOverMCP() map[string]string {
	mcpserver.Open(w.manager, mcpserver.Options{Record: func(string) ([]byte, error) {
		w.t.Error("the record of a match is read before its end")
		return nil, mcpserver.ErrNoRecord
	}})
	out := map[string]string{}
	for agent, server := range map[string]*mcp.Server{
		"LM": w.manager.Node.MCP(), "REF01": w.referees["REF01"].Node.MCP(), "P01": w.players["P01"].Node.MCP(),
	} {
		looker := &looker{w: w, agent: agent, out: out}
		looker.look(server)
	}
	return out
}

type looker struct {
	w     *world
	agent string
	out   map[string]string
	s     *mcp.ClientSession
}

func (l *looker) note(what string, v any, err error) {
	text, _ := json.Marshal(v)
	l.out[fmt.Sprintf("%s MCP %s", l.agent, what)] = fmt.Sprint(string(text), err)
}

func (l *looker) look(server *mcp.Server) {
	ctx := l.w.ctx
	here, there := mcp.NewInMemoryTransports()
	serving, err := server.Connect(ctx, there, nil)
	if err != nil {
		l.w.t.Error(err)
		return
	}
	defer func() { _ = serving.Wait() }()
	if l.s, err = mcp.NewClient(&mcp.Implementation{Name: "looker", Version: "1"}, nil).Connect(ctx, here,
		nil); err != nil {
		l.w.t.Error(err)
		return
	}
	defer func() { _ = l.s.Close() }()
	l.note("greeting", l.s.InitializeResult(), nil)
	l.resources(ctx)
	for tool, err := range l.s.Tools(ctx, nil) {
		if err != nil {
			l.w.t.Error(err)
			return
		}
		l.note("tool "+tool.Name, tool, nil)
		if !tool.Annotations.ReadOnlyHint {
			continue
		}
		res, err := l.s.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: map[string]any{
			"match_id": "R1M1", "player_id": "P01", "query_type": "GET_SCHEDULE", "timeout_seconds": 0,
			"records": []any{map[string]any{"league_id": leagueID, "match_id": "R1M1", "attempt": 1}},
		}})
		l.note("call of "+tool.Name, res, err)
	}
	for p, err := range l.s.Prompts(ctx, nil) {
		if err != nil {
			l.w.t.Error(err)
			return
		}
		for name, args := range map[string]map[string]string{
			"": {}, " with arguments": {"match_id": "R1M1", "player_id": "P01", "round": "1"},
		} {
			got, err := l.s.GetPrompt(ctx, &mcp.GetPromptParams{Name: p.Name, Arguments: args})
			l.note("prompt "+p.Name+name, got, err)
		}
	}
}

func (l *looker) resources(ctx context.Context) {
	if l.agent != "LM" {
		return
	}
	for _, path := range []string{
		"standings", "schedule", "rounds/1", "players/P01", "players/P02", "players/REF01", "matches/R1M1",
		"matches/R1M1/transcript", "matches/..%2F..%2Fadmin/transcript",
	} {
		read, err := l.s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "league://" + path})
		l.note("resource "+path, read, err)
	}
	for _, name := range []string{"match_id", "player_id", "round"} {
		got, err := l.s.Complete(ctx, &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "commentate"},
			Argument: mcp.CompleteParamsArgument{Name: name},
		})
		l.note("completion of "+name, got, err)
	}
}
