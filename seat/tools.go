package seat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/rpc"
)

// A Wish is a request for a seat.
type Wish struct {
	League   string // "": the current league
	Name     string // to be called by
	Fallback string // the strategy after a timeout; "": the random one
	From     string // the address that asks
}

// Seats is where seats are taken: a manager's process has many, `league seat` is one.
type Seats interface {
	// Take registers a player that is played from outside.
	Take(ctx context.Context, w Wish) (*Seat, error)
	// Find returns the seat that a key is for.
	Find(key string) (*Seat, error)
	// Leave gives a seat up. gone means that the seat cannot be recovered.
	Leave(ctx context.Context, t *Seat) (gone bool, err error)
}

// newsAside removes the news from a report: wait_for_turn returns them.
const newsAside = math.MaxUint64

// How long wait_for_turn waits, in seconds. Hosts give a tool a minute at most.
const (
	usualWait = 25
	longWait  = 50
)

// tools are the MCP tools that seats are played with.
type tools struct{ Seats }

// AddTools adds the tools of seats to an MCP server, with a choice of fallback strategies.
func AddTools(server *mcp.Server, s Seats, fallbacks []string) {
	t := tools{s}
	addTool(server, takeSeat(fallbacks), t.take)
	addTool(server, waitForTurn, t.wait)
	addTool(server, makeMove, t.move)
	addTool(server, leaveSeat, t.quit)
}

// addTool adds a tool that answers with a report. Arguments are read leniently: a schema is advice to the caller, and
// the answer explains errors.
func addTool[In any](server *mcp.Server, about mcp.Tool,
	answer func(context.Context, *mcp.CallToolRequest, In) (*mcp.CallToolResult, Report, error)) {
	server.AddTool(&about, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in In
		if err := rpc.ReadArguments(req.Params.Arguments, &in); err != nil {
			return refusal(err), nil
		}
		asks, r, err := answer(ctx, req, in)
		switch {
		case err != nil:
			return refusal(err), nil
		case asks != nil:
			return asks, nil
		}
		return r.result()
	})
}

// refusal explains an error to the caller.
func refusal(err error) *mcp.CallToolResult {
	var out mcp.CallToolResult
	out.SetError(err)
	return &out
}

// result is a report as the answer of a tool: in lines for a model, and as JSON for programs of before structured
// content.
func (r Report) result() (*mcp.CallToolResult, error) {
	doc, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: r.text()}, &mcp.TextContent{Text: string(doc)}},
		StructuredContent: json.RawMessage(doc),
	}, nil
}

// takeArgs are the arguments of take_seat. With a key it is a return, and the other members do not count.
type takeArgs struct {
	Name     string `json:"name"`
	LeagueID string `json:"league_id"`
	Fallback string `json:"fallback"`
	Key      string `json:"key"`
}

// take assigns a seat, or returns the existing seat of the caller: a model may have forgotten it.
func (s tools) take(ctx context.Context, req *mcp.CallToolRequest, in takeArgs) (*mcp.CallToolResult, Report, error) {
	t, err := s.Find(keyOf(req, in.Key))
	if err != nil && in.Key == "" {
		t, err = s.Take(ctx, Wish{League: in.LeagueID, Name: in.Name, Fallback: in.Fallback, From: rpc.CalledBy(req).Addr})
	}
	if err != nil {
		return nil, Report{}, err
	}
	r := t.report(t.Player.Look(newsAside), time.Now())
	r.Key = t.Key
	if r.Status == Waiting {
		r.Next = fmt.Sprintf("You are %s. Call wait_for_turn with this key, and keep calling it until the league is over.", r.PlayerID)
	}
	return nil, r, nil
}

// waitArgs are the arguments of wait_for_turn; wait_seconds is bounded, and with 0 the answer comes at once.
type waitArgs struct {
	Key       string   `json:"key"`
	Seconds   *float64 `json:"wait_seconds"`
	AskPerson bool     `json:"ask_person"`
}

// wait answers with a turn, or with news when the time is over. Hosts give up on calls that take long, so it is asked
// again and again.
func (s tools) wait(ctx context.Context, req *mcp.CallToolRequest, in waitArgs) (*mcp.CallToolResult, Report, error) {
	t, err := s.Find(keyOf(req, in.Key))
	if err != nil {
		return nil, Report{}, err
	}
	if answers := req.Params.InputResponses; len(answers) > 0 {
		return t.answered(answers)
	}
	seconds := float64(usualWait)
	if in.Seconds != nil {
		seconds = min(max(*in.Seconds, 0), longWait)
	}
	u, err := t.waitWithProgress(ctx, req, time.Duration(seconds*float64(time.Second)))
	if err != nil {
		return nil, Report{}, err
	}
	if in.AskPerson && len(u.Turns) > 0 {
		return t.askPerson(ctx, req, u)
	}
	return nil, t.tell(u), nil
}

// moveArgs are the arguments of make_move. turn_id keeps a late answer from counting for another turn.
type moveArgs struct {
	Key    string          `json:"key"`
	TurnID string          `json:"turn_id"`
	Move   json.RawMessage `json:"move"`
}

// move makes a move that the rules allow. Any other is an error, and the turn stays open.
func (s tools) move(_ context.Context, req *mcp.CallToolRequest, in moveArgs) (*mcp.CallToolResult, Report, error) {
	t, err := s.Find(keyOf(req, in.Key))
	if err != nil {
		return nil, Report{}, err
	}
	if len(in.Move) == 0 || string(in.Move) == "null" {
		return nil, Report{}, errors.New("move: give one of the legal moves of the turn")
	}
	r, err := t.Play(in.TurnID, in.Move)
	return nil, r, err
}

// leaveArgs are the arguments of leave_seat.
type leaveArgs struct {
	Key string `json:"key"`
}

// quit gives the seat up. After the start of a league the fallback plays the remaining matches.
func (s tools) quit(ctx context.Context, req *mcp.CallToolRequest, in leaveArgs) (*mcp.CallToolResult, Report, error) {
	t, err := s.Find(keyOf(req, in.Key))
	if err != nil {
		return nil, Report{}, err
	}
	gone, err := s.Leave(ctx, t)
	if err != nil {
		return nil, Report{}, err
	}
	r := Report{Status: Left, PlayerID: t.PlayerID(), Name: t.Name, LeagueID: t.League}
	r.Next = fmt.Sprintf(
		"The strategy %s plays your matches from now on. Call wait_for_turn with the same key to play again.", t.Fallback)
	if gone {
		r.Next = "Your player is out of the league, and the key is no longer valid."
	}
	return nil, r, nil
}

// keyOf finds the key of a seat: an argument, or the Bearer token in the Authorization header.
func keyOf(req *mcp.CallToolRequest, argument string) string {
	if token := rpc.CalledBy(req).Token; argument == "" && strings.HasPrefix(token, KeyPrefix) {
		return token
	}
	return argument
}
