package referee

import (
	"agentleague/game"
	"agentleague/protocol"
)

// moveOf returns the move in a player's answer.
func moveOf(answer protocol.Message) game.Move {
	switch a := answer.(type) {
	case *protocol.ChooseParityResponse:
		return a.ParityChoice
	case *protocol.GameMoveResponse:
		return a.MoveData.Choice
	}
	return nil
}

// viewText returns the position shown to a seat to move. The call for a parity shows none.
func viewText(state game.State, seat game.Seat) string {
	v := state.View(seat)
	if v.Ask == protocol.ParityMove {
		return ""
	}
	return v.Text()
}

// usageOf returns the language model usage that an answer reports.
func usageOf(answer protocol.Message) (protocol.Usage, bool) {
	switch a := answer.(type) {
	case *protocol.ChooseParityResponse:
		return protocol.ReadUsage(a.Usage)
	case *protocol.GameMoveResponse:
		return protocol.ReadUsage(a.Usage)
	}
	return protocol.Usage{}, false
}

// proofOf returns a player's signature of its answer, or nil.
func proofOf(answer protocol.Message) *protocol.Proof {
	switch a := answer.(type) {
	case *protocol.ChooseParityResponse:
		return a.Proof
	case *protocol.GameMoveResponse:
		return a.Proof
	}
	return nil
}
