package seat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/player"
	"agentleague/rpc"
)

// Seats is where seats are taken: a manager's process has many, `league seat` is one.
type Seats interface {
	// Take registers a player under a name. No league means the one that is played here, no fallback the random one.
	Take(ctx context.Context, leagueID, name, fallback string) (*Seat, error)
	// Find returns the seat that a key is for.
	Find(key string) (*Seat, error)
	// Leave gives a seat up. Gone says that nobody can come back to it.
	Leave(ctx context.Context, t *Seat) (gone bool, err error)
}

// newsAside leaves the news out of what a seat has to say: wait_for_turn tells them.
const newsAside = math.MaxUint64

// How long wait_for_turn waits, in seconds. Hosts give a tool a minute at most.
const (
	usualWait = 25
	longWait  = 50
)

// tools are the MCP tools that seats are played with.
type tools struct{ Seats }

// AddTools lets seats be played from an MCP server.
func AddTools(server *mcp.Server, s Seats) {
	t := tools{s}
	no := false
	mcp.AddTool(server, &mcp.Tool{
		Name: "take_seat", Title: "Take a seat in the league",
		Description: "Join the league as a player that you play yourself, without running a server. Returns the key of " +
			"your seat, which every other seat tool needs. Then repeat: wait_for_turn, make_move. When you do not play in " +
			"time, the fallback strategy plays for you. Call it with the key to see how your seat stands.",
		Annotations: &mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
	}, t.take)
	mcp.AddTool(server, &mcp.Tool{
		Name: "wait_for_turn", Title: "Wait for your turn",
		Description: "Wait until your seat is asked for a move, or something has happened: a match is over, the fallback " +
			"played for you, the league is over. Returns at once if a turn is open, and otherwise after wait_seconds at the " +
			"latest; then call it again. Status your_turn: call make_move with its turn_id before seconds_left have passed. " +
			"Status league_over: you are done. With ask_person the host asks its user for the move and plays it; no make_move " +
			"is needed then.",
		Annotations: &mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
	}, t.wait)
	mcp.AddTool(server, &mcp.Tool{
		Name: "make_move", Title: "Make a move",
		Description: "Play one of the choices of an open turn that wait_for_turn returned. The first move counts. A move that is not allowed changes " +
			"nothing, and the answer lists the allowed ones. Afterwards call wait_for_turn.",
		Annotations: &mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
	}, t.move)
	mcp.AddTool(server, &mcp.Tool{
		Name: "leave_seat", Title: "Leave your seat",
		Description: "Give up your seat. Before the league has started, your player is taken out of it. Afterwards the fallback strategy plays your " +
			"matches to the end, and calling wait_for_turn with the same key brings you back.",
		Annotations: &mcp.ToolAnnotations{IdempotentHint: true, OpenWorldHint: &no},
	}, t.quit)
}

type takeArgs struct {
	Name     string `json:"name,omitempty" jsonschema:"the name that the table shows; needed for a new seat"`
	LeagueID string `json:"league_id,omitempty" jsonschema:"the league to play in; default: the one that is played here"`
	Fallback string `json:"fallback,omitempty" jsonschema:"the strategy that plays when you do not: random, alternate or history; default random"`
	Key      string `json:"key,omitempty" jsonschema:"the key of a seat that you have already, to see it again"`
}

func (s tools) take(ctx context.Context, req *mcp.CallToolRequest, in takeArgs) (*mcp.CallToolResult, Report, error) {
	t, err := s.Find(keyOf(req, in.Key))
	if err != nil && in.Key == "" {
		t, err = s.Take(ctx, in.LeagueID, in.Name, in.Fallback)
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

type waitArgs struct {
	Key       string   `json:"key,omitempty" jsonschema:"the key of your seat"`
	Seconds   *float64 `json:"wait_seconds,omitempty" jsonschema:"how long to wait, 0 to 50; default 25"`
	AskPerson bool     `json:"ask_person,omitempty" jsonschema:"have the host ask its user for the move, if it can"`
}

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

// waitWithProgress waits for something to tell, and tells a host that wants to know that it still waits.
func (t *Seat) waitWithProgress(ctx context.Context, req *mcp.CallToolRequest, most time.Duration) (
	player.Update, error) {
	enough, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	var telling sync.WaitGroup
	defer func() { cancel(); telling.Wait() }()
	if token := req.Params.GetProgressToken(); token != nil {
		telling.Go(func() {
			every(enough, 5*time.Second, func(passed time.Duration) {
				u := t.Player.Look(newsAside)
				_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: passed.Seconds(), Total: most.Seconds(), Message: t.expects(t.PlayerID(), u),
				})
			})
		})
	}
	u, err := t.wait(enough)
	switch {
	case t.Trouble() != nil:
		return u, fmt.Errorf("your player is not in the league: %w", t.Trouble())
	case ctx.Err() != nil:
		return u, context.Cause(ctx)
	case enough.Err() != nil:
		return u, nil
	}
	return u, err
}

// every calls f again and again until ctx ends.
func every(ctx context.Context, d time.Duration, f func(passed time.Duration)) {
	start, tick := time.Now(), time.NewTicker(d)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			f(now.Sub(start))
		case <-ctx.Done():
			return
		}
	}
}

type moveArgs struct {
	Key    string `json:"key,omitempty" jsonschema:"the key of your seat"`
	TurnID string `json:"turn_id,omitempty" jsonschema:"the turn to play in; may be left out if only one is open"`
	Move   any    `json:"move" jsonschema:"one of the choices of the turn, such as even"`
}

func (s tools) move(_ context.Context, req *mcp.CallToolRequest, in moveArgs) (*mcp.CallToolResult, Report, error) {
	t, err := s.Find(keyOf(req, in.Key))
	if err != nil {
		return nil, Report{}, err
	}
	given, err := json.Marshal(in.Move)
	if err != nil {
		return nil, Report{}, err
	}
	r, err := t.Play(in.TurnID, given)
	return nil, r, err
}

type leaveArgs struct {
	Key string `json:"key,omitempty" jsonschema:"the key of your seat"`
}

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

// keyOf finds the key of a seat: an argument, or what the header Authorization has as Bearer.
func keyOf(req *mcp.CallToolRequest, argument string) string {
	if token := rpc.CalledBy(req).Token; argument == "" && strings.HasPrefix(token, KeyPrefix) {
		return token
	}
	return argument
}

// Play plays what somebody gave in a turn, or in the only one that is open.
func (t *Seat) Play(turnID string, given json.RawMessage) (Report, error) {
	turn, err := t.openTurn(turnID)
	if err != nil {
		return Report{}, err
	}
	move, err := turn.Read(given)
	if err != nil {
		return Report{}, fmt.Errorf("%w; turn %s is still open for %.0f seconds", err, turn.ID,
			max(time.Until(turn.Deadline).Seconds(), 0))
	}
	if t.Player.Play(turn.ID, move) != nil {
		return Report{}, t.closed(turn.ID)
	}
	r := t.report(t.Player.Look(newsAside), time.Now())
	if r.Turn == nil {
		r.Status = Played
		r.Next = fmt.Sprintf("You played %s in %s. Call wait_for_turn to see the result.", move, turn.ID)
	}
	return r, nil
}

// openTurn finds the turn that is meant.
func (t *Seat) openTurn(id string) (player.Turn, error) {
	open := t.Player.Look(newsAside).Turns
	for _, turn := range open {
		if turn.ID == id || id == "" && len(open) == 1 {
			return turn, nil
		}
	}
	switch {
	case id != "":
		return player.Turn{}, t.closed(id)
	case len(open) == 0:
		return player.Turn{}, errors.New("you are not asked for a move now; call wait_for_turn")
	}
	ids := make([]string, len(open))
	for i, turn := range open {
		ids[i] = turn.ID
	}
	return player.Turn{}, fmt.Errorf("give the turn_id of an open turn: %s", strings.Join(ids, ", "))
}

// closed says why a turn cannot be played.
func (t *Seat) closed(id string) error {
	was, known := t.Player.Ended(id)
	switch {
	case !known:
		return fmt.Errorf("there is no turn %.60q; call wait_for_turn to see the open ones", id)
	case was.How == player.Played:
		return fmt.Errorf("turn %s was already played with %s, and the first move counts; call wait_for_turn", id, was.Move)
	case was.How == player.Fallback:
		return fmt.Errorf("turn %s is over: its time was up, and the strategy %s played %s for you; call wait_for_turn", id,
			t.Fallback, was.Move)
	case was.How == player.Dropped:
		return fmt.Errorf("the referee has stopped waiting for turn %s, and may ask again; call wait_for_turn", id)
	}
	return fmt.Errorf("turn %s is over: its time was up; call wait_for_turn", id)
}
