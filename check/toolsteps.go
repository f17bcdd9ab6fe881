package check

import (
	"context"
	"errors"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// ToolSteps lists the steps for a player that is a real MCP server, in order.
func ToolSteps() []Step {
	return stepsOf([]row[toolCheck]{
		{"T61", "the MCP handshake succeeds and tools are listed", clauseQueries,
			"Answer initialize and tools/list, at /mcp, by streamable HTTP.", shakesHands},
		{"T62", "one tool is for the move", clauseQueries,
			"Call the tool that makes the move choose_parity, or say in its description that it chooses even or odd.", hasMove},
		{"T63", "joins a match within 5 s", clauseMatch,
			`Answer the tool for the invitation within 5 seconds with {"accept":true}.`, toolJoins},
		{"T64", "chooses even or odd within 30 s", clausePayloads,
			`Answer the tool for the move within 30 seconds with {"parity_choice":"even"}, or with the word alone.`, toolChooses},
		{"T65", "a repeated call gets the same choice", clauseTokens,
			"Remember your choice under its match_id, and give the same one when you are asked again.", toolChoosesOnce},
		{"T66", "takes the result of a match within 5 s", clauseMatch,
			"Answer the tool for the result with anything that is not an error.", toolHearsOver},
		{"T67", "plays another match afterwards", clauseMatch, "Be ready for the next match after the result of the last.",
			toolPlaysAgain},
		{"T68", "plays several matches at once", clauseMatch,
			"Store the state of each match under its match_id, so that matches do not disturb each other.", toolPlaysMany},
		{"T69", "answers quickly", clauseMatch,
			"Look for what takes so long: a round is over when the slowest player has answered.", toolIsQuick},
		{"T70", "a tool that it does not have is refused", clauseQueries,
			"Answer a call of a tool that you do not have with an error, or with isError.", refusesTool},
		{"T71", "plays on after a call with wrong arguments", clauseQueries,
			"Answer wrong arguments with isError, and keep the server running.", survivesWrongCall},
	})
}

// shakesHands repeats the handshake: the first was with the process that ran then.
func shakesHands(ctx context.Context, s toolCheck) finding {
	tools, err := s.tools(ctx)
	switch {
	case err != nil:
		return fail("the handshake fails: %v", err)
	case len(tools) == 0:
		return fail("it lists no tools")
	}
	return pass
}

// Without a tool for the move nothing can be played. It is found by its name and description, or named by hand.
func hasMove(ctx context.Context, s toolCheck) finding {
	if s.use(protocol.TypeChooseParityCall) != "" {
		return pass
	}
	tools, err := s.tools(ctx)
	if err != nil {
		return skip("its tools cannot be listed")
	}
	return fail("%s", hinted("it is not clear which tool makes the move; its tools: "+dialect.ToolNames(tools),
		s.Hints.Tool))
}

// toolJoins accepts a server that has no tool for the invitation: it takes part in every match.
func toolJoins(ctx context.Context, s toolCheck) finding {
	switch {
	case s.use(protocol.TypeChooseParityCall) == "":
		return skip("it has no tool for the move")
	case s.use(protocol.TypeGameInvitation) == "":
		s.joined(ctx)
		return skip("it has no tool for the invitation: it takes part in every match")
	}
	return joins(ctx, s.player())
}

func toolChooses(ctx context.Context, s toolCheck) finding { return chooses(ctx, s.player()) }

// toolChoosesOnce only advises: a referee that has an answer does not ask again.
func toolChoosesOnce(ctx context.Context, s toolCheck) finding {
	f := choosesOnce(ctx, s.player())
	if f.level == broken {
		return advise("%s", f.detail).in(f.at)
	}
	return f
}

// toolHearsOver tests the optional tool for the result: without one a player goes on and learns nothing.
func toolHearsOver(ctx context.Context, s toolCheck) finding {
	if s.use(protocol.TypeGameOver) == "" {
		return skip("it has no tool for the result: it is not told")
	}
	if f := s.player().unbound(ctx); f.level != passes {
		return f
	}
	r := s.player().end(ctx, s.match(1, 1))
	return first(answered(r), s.late(protocol.TypeGameOver, r.x)).in(r.x)
}

func toolPlaysAgain(ctx context.Context, s toolCheck) finding { return playsAgain(ctx, s.player()) }
func toolPlaysMany(ctx context.Context, s toolCheck) finding  { return playsMany(ctx, s.player()) }

// slow is the duration of a tool call that is reported: a league waits for the slowest player.
const slow = 2 * time.Second

// A slow tool is allowed up to the deadline; a match has several calls, and a round waits for its slowest match.
func toolIsQuick(ctx context.Context, s toolCheck) finding {
	if _, f := s.player().undecided(ctx); f.level != passes {
		return f
	}
	if x := s.slowest(); x.elapsed > slow {
		return advise("its slowest answer took %s", x.elapsed.Round(10*time.Millisecond)).in(x)
	}
	return pass
}

// Answering a tool that does not exist is harmless to a league, and hides a mistyped name from its author.
func refusesTool(ctx context.Context, s toolCheck) finding {
	refused, err := s.callWrong(ctx, "no_such_tool")
	switch {
	case err != nil:
		return differ("it gave no answer: %v", err)
	case !refused:
		return advise("a call of no_such_tool was answered as if there were one")
	}
	return pass
}

// survivesWrongCall plays a whole match after wrong arguments; the form of the refusal does not matter.
func survivesWrongCall(ctx context.Context, s toolCheck) finding {
	tool := s.use(protocol.TypeChooseParityCall)
	if tool == "" {
		return skip("it has no tool for the move")
	}
	if _, err := s.callWrong(ctx, tool); err != nil && errors.Is(err, context.DeadlineExceeded) {
		return differ("a call of %s with wrong arguments got no answer", tool)
	}
	return s.player().bout(ctx, s.match(4, 1))
}

// player is the same session as the checks of a player see it.
func (s toolCheck) player() playerCheck { return playerCheck(s) }

func (s toolCheck) joined(ctx context.Context) reply { return s.player().joined(ctx) }
