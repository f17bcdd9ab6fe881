// Package mcpserver is a foreign player that is a real MCP server: it wants a
// handshake, lists its tools with their schemas, and takes nothing but calls of
// them.
//
//	initialize ─▶ tools/list ─▶ tools/call handle_game_invitation {match_id, …}
package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/interop/foreign"
)

// NewPlayer serves a persona as an MCP server.
func NewPlayer(p foreign.Persona) (*foreign.Player, error) {
	return foreign.NewPlayerWith(p, handler)
}

// handler serves a tool for every message that the player has a name for.
func handler(p *foreign.Player) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: p.Name, Version: "1.0.0"}, nil)
	for kind, name := range p.Names {
		addTool(server, p, kind, name)
	}
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		SessionTimeout: time.Minute,
	})
	return noting{p, sdk}
}

// A declared is the set of arguments that a strict tool accepts.
type declared struct {
	MessageType    string           `json:"message_type,omitempty"`
	Sender         string           `json:"sender,omitempty"`
	ConversationID string           `json:"conversation_id,omitempty"`
	AuthToken      string           `json:"auth_token,omitempty"`
	RoundID        any              `json:"round_id,omitempty"`
	MatchID        string           `json:"match_id,omitempty"`
	OpponentID     string           `json:"opponent_id,omitempty"`
	Matches        []map[string]any `json:"matches,omitempty"`
	Standings      []map[string]any `json:"standings,omitempty"`
	GameResult     map[string]any   `json:"game_result,omitempty"`
}

// addTool adds the tool for one kind of message. A strict player's schema allows only declared members.
func addTool(server *mcp.Server, p *foreign.Player, kind foreign.Kind, name string) {
	tool := &mcp.Tool{Name: name, Description: "takes a " + string(kind)}
	if !p.StrictTop {
		mcp.AddTool(server, tool, func(_ context.Context, _ *mcp.CallToolRequest, in map[string]any) (
			*mcp.CallToolResult, any, error) {
			return answer(p, kind, in)
		})
		return
	}
	mcp.AddTool(server, tool, func(_ context.Context, _ *mcp.CallToolRequest, in declared) (
		*mcp.CallToolResult, any, error) {
		var message map[string]any
		raw, err := json.Marshal(in)
		if err == nil {
			err = json.Unmarshal(raw, &message)
		}
		if err != nil {
			return nil, nil, err
		}
		return answer(p, kind, message)
	})
}

// answer puts the player's answer where its persona has it.
func answer(p *foreign.Player, kind foreign.Kind, message map[string]any) (*mcp.CallToolResult, any, error) {
	reply, why := p.Answer(kind, message)
	if why != "" {
		return nil, nil, errors.New(why)
	}
	if p.Reply == foreign.ReplyStructured {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, reply, nil
	}
	text, err := json.Marshal(reply)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil, err
}

// noting notes every request that passes, and whether it was refused.
type noting struct {
	player *foreign.Player
	next   http.Handler
}

// ServeHTTP passes a request on. Streams that a client opens to listen are not noted.
func (n noting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		n.next.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "cannot read", http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	seen := &watched{ResponseWriter: w, status: http.StatusOK}
	n.next.ServeHTTP(seen, r)
	n.player.Note(foreign.Heard{
		Kind: foreign.KindOf(body), Status: seen.status, Refused: seen.refused(), Body: string(body),
	})
}

// watched is a response that is inspected while it is written.
type watched struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader notes the status.
func (w *watched) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write notes the body.
func (w *watched) Write(b []byte) (int, error) {
	w.body.Write(b)
	return w.ResponseWriter.Write(b)
}

// Unwrap lets the server flush.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *watched) refused() bool {
	return w.status >= 400 || bytes.Contains(w.body.Bytes(), []byte(`"error":{`)) ||
		bytes.Contains(w.body.Bytes(), []byte(`"isError":true`))
}
