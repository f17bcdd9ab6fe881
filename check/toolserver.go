package check

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A toolCheck is a session with a player that is a real MCP server: its tools are called in place of methods.
type toolCheck struct{ *session }

// meet determines whether the agent is a real MCP server. A server that also speaks league.v2 is checked as that.
func (s *session) meet(ctx context.Context) (bool, error) {
	if s.Strict || s.Role != "" && s.Role != protocol.RolePlayer {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	met, err := s.node.Meet(ctx, s.peer.Endpoint, protocol.TypeChooseParityCall, s.Tools)
	switch {
	case errors.Is(err, rpc.ErrWantsToken):
		return false, errors.New(hinted(err.Error(), s.Hints.Bearer))
	case met == nil:
		return false, err
	}
	moves := func(u protocol.ToolUse) bool { return u.Message == protocol.TypeChooseParityCall && u.Tool != "" }
	if s.peer.Dialect != "" && !slices.ContainsFunc(met.Calls, moves) {
		return false, nil // it has registered, and its tools are for something else
	}
	s.met, s.peer.Dialect, s.role = met, met.Dialect, protocol.RolePlayer
	return true, nil
}

// tools lists the tools of the server anew.
func (s toolCheck) tools(ctx context.Context) ([]dialect.Tool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	return s.network.Introduce(ctx, s.peer.Endpoint)
}

// callWrong calls a tool with undeclared arguments. An error is expected; its text does not matter.
func (s toolCheck) callWrong(ctx context.Context, name string) (refused bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	result, err := s.network.CallTool(ctx, s.peer.Endpoint, name, json.RawMessage(`{"x_check":[1]}`))
	var no *protocol.Refusal
	switch {
	case errors.As(err, &no):
		return true, nil
	case err != nil:
		return false, err
	}
	return dialect.ToolRefusal(name, result) != nil, nil
}

// slowest is the call of a tool that took the longest.
func (s *session) slowest() *exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := &exchange{}
	for _, c := range s.called {
		if c.elapsed > x.elapsed {
			x = c
		}
	}
	return x
}
