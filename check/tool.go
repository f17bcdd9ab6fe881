package check

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// toolSteps returns the steps for a player that is an MCP server: tools are called in place of methods.
func toolSteps() map[string]judge {
	return of(map[string]func(context.Context, playerCheck) finding{
		"T61": shakesHands, "T62": hasMove, "T63": toolJoins, "T64": chooses, "T65": toolChoosesOnce, "T66": toolTakesResult,
		"T67": playsAgain, "T68": playsMany, "T69": toolIsQuick, "T70": refusesTool, "T71": survivesWrongCall,
	})
}

// tools lists the tools of the server anew.
func (w *wire) tools(ctx context.Context) ([]dialect.Tool, error) {
	ctx, cancel := context.WithTimeout(ctx, w.patience)
	defer cancel()
	tools, _, err := w.network.Introduce(ctx, w.peer.Endpoint)
	return tools, err
}

// callWrong calls a tool with undeclared arguments and reports whether it refused them. err is a transport error.
func (w *wire) callWrong(ctx context.Context, name string) (refused bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, w.patience)
	defer cancel()
	result, err := w.network.CallTool(ctx, w.peer.Endpoint, name, json.RawMessage(`{"x_check":[1]}`))
	var no *protocol.Refusal
	switch {
	case errors.As(err, &no):
		return true, nil
	case err != nil:
		return false, err
	}
	return dialect.ToolRefusal(name, result) != nil, nil
}

// shakesHands repeats the MCP handshake, since the agent may have restarted.
func shakesHands(ctx context.Context, s playerCheck) finding {
	tools, err := s.wire.tools(ctx)
	switch {
	case err != nil:
		return fail("the handshake fails: %v", err)
	case len(tools) == 0:
		return fail("it lists no tools")
	}
	return pass
}

// hasMove fails for a server without a tool for moves, neither detected by name and description nor configured.
func hasMove(ctx context.Context, s playerCheck) finding {
	if s.tool(protocol.TypeChooseParityCall) != "" {
		return pass
	}
	tools, err := s.wire.tools(ctx)
	if err != nil {
		return skip("its tools cannot be listed")
	}
	return fail("%s", hinted("it is not clear which tool makes the move; its tools: "+dialect.ToolNames(tools),
		s.Hints.Tool))
}

// toolJoins skips the step for a server without a tool for invitations, which takes part in every match.
func toolJoins(ctx context.Context, s playerCheck) finding {
	switch {
	case s.tool(protocol.TypeChooseParityCall) == "":
		return skip("it has no tool for the move")
	case s.tool(protocol.TypeGameInvitation) == "":
		s.joined(ctx)
		return skip("it has no tool for the invitation: it takes part in every match")
	}
	return joins(ctx, s)
}

// toolChoosesOnce returns at most advice, since a referee that has an answer does not ask again.
func toolChoosesOnce(ctx context.Context, s playerCheck) finding {
	f := choosesOnce(ctx, s)
	if f.level == broken {
		return advise("%s", f.detail).in(f.at)
	}
	return f
}

// toolTakesResult checks the optional tool for results. A player without it can play, but cannot learn.
func toolTakesResult(ctx context.Context, s playerCheck) finding {
	if s.tool(protocol.TypeGameOver) == "" {
		return skip("it has no tool for the result: it is not told")
	}
	if f := s.unbound(ctx); f.level != passes {
		return f
	}
	r := s.end(ctx, s.match(1, 1))
	return first(answered(r), s.late(protocol.TypeGameOver, r.x)).in(r.x)
}

// slowCall is the duration above which a tool call is reported: a round waits for its slowest player.
const slowCall = 2 * time.Second

// toolIsQuick reports a tool call that takes longer than slowCall. It is a warning, because any time up to the deadline
// is allowed.
func toolIsQuick(_ context.Context, s playerCheck) finding {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if x := s.log.slowest; x != nil && x.elapsed > slowCall {
		return advise("its slowest answer took %s", x.elapsed.Round(10*time.Millisecond)).in(x)
	}
	return pass
}

// refusesTool expects an error for an unknown tool. A server that answers anyway hides a mistyped name from its author.
func refusesTool(ctx context.Context, s playerCheck) finding {
	refused, err := s.wire.callWrong(ctx, "no_such_tool")
	switch {
	case err != nil:
		return differ("it gave no answer: %v", err)
	case !refused:
		return advise("a call of no_such_tool was answered as if there were one")
	}
	return pass
}

// survivesWrongCall plays a whole match after wrong arguments; the form of the refusal does not matter.
func survivesWrongCall(ctx context.Context, s playerCheck) finding {
	tool := s.tool(protocol.TypeChooseParityCall)
	if tool == "" {
		return skip("it has no tool for the move")
	}
	if _, err := s.wire.callWrong(ctx, tool); err != nil && errors.Is(err, context.DeadlineExceeded) {
		return differ("a call of %s with wrong arguments got no answer", tool)
	}
	return s.playMatch(ctx, s.match(4, 1))
}
