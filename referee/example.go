package referee

import (
	"slices"
	"time"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/protocol"
)

// ExampleQuestion returns the first question for a move in a match of a game, as a referee asks it. The search for a
// player's MCP tools compares their arguments with this message. If the game does not start, the question has no view.
func ExampleQuestion(g game.Game) protocol.Message {
	i := g.Info()
	head := protocol.Envelope{
		Protocol: protocol.Version, Sender: "referee:REF01", Timestamp: protocol.Stamp(time.Now()), ConversationID: "conv-example",
		LeagueID: "example", RoundID: 1, MatchID: protocol.MatchID(1, 1),
	}
	const player, opponent = "P01", "P02"
	deadline := protocol.Stamp(time.Now().Add(time.Minute))
	if slices.Contains(i.MoveTypes, protocol.ParityMove) {
		head.MessageType = protocol.TypeChooseParityCall
		return &protocol.ChooseParityCall{
			Envelope: head, PlayerID: player, GameType: i.Type, Deadline: deadline, Attempt: 1,
			Context: protocol.ChooseContext{OpponentID: opponent, RoundID: head.RoundID},
		}
	}
	head.MessageType = protocol.TypeGameMoveCall
	m := &protocol.GameMoveCall{Envelope: head, PlayerID: player, GameType: i.Type, OpponentID: opponent, Deadline: deadline, Attempt: 1}
	state, err := g.Start(i.MinSeats, draw.New([]byte("example")))
	if err != nil || len(state.ToMove()) == 0 {
		m.MatchID = ""
		return m
	}
	v := state.View(state.ToMove()[0])
	m.MoveRequest = protocol.MoveRequest{MoveType: v.Ask, ValidOptions: v.Options, Context: v.Context}
	m.Turn, m.View = v.Turn, v.Text()
	return m
}
