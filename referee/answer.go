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

// viewText returns the position shown to the seat that moves, or "" in the game even_odd, where the question has no
// view.
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

// illegal returns the kind of error for an answer with an illegal move.
func illegal(answer protocol.Message) *protocol.Kind {
	if answer.Head().MessageType == protocol.TypeChooseParityResponse {
		return protocol.InvalidChoice
	}
	return protocol.InvalidMove
}

// notAMove returns the beginning of the error text for an answer that is not a legal move.
func notAMove(answer protocol.Message) string {
	called, member := "legal move", "move_data.choice"
	if illegal(answer) == protocol.InvalidChoice {
		called, member = "choice", "parity_choice"
	}
	move := string(moveOf(answer))
	if move == "" || move == "null" {
		return "the answer has no " + member
	}
	return protocol.Clip(protocol.Plain(move), 60) + " is not a " + called
}
