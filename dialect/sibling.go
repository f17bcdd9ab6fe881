package dialect

import (
	"encoding/json"

	"agentleague/protocol"
)

// Two types of messages can carry a move: the parity response of Even/Odd, and the general move response.

// moveIn returns a pointer to the move in an answer and whether the answer is signed; nil if the message has no move.
func moveIn(answer protocol.Message) (move *json.RawMessage, signed bool) {
	switch a := answer.(type) {
	case *protocol.ChooseParityResponse:
		return &a.ParityChoice, a.Proof != nil
	case *protocol.GameMoveResponse:
		return &a.MoveData.Choice, a.Proof != nil
	}
	return nil, false
}

// Sibling returns the other type of message that can carry a move; "" if t cannot carry one.
func Sibling(t protocol.Type) protocol.Type {
	switch t {
	case protocol.TypeChooseParityResponse:
		return protocol.TypeGameMoveResponse
	case protocol.TypeGameMoveResponse:
		return protocol.TypeChooseParityResponse
	}
	return ""
}

// AsSibling converts a move to the other type of message that can carry it. It returns nil
// if the answer carries no move or is signed.
func AsSibling(answer protocol.Message) protocol.Message {
	if _, signed := moveIn(answer); signed {
		return nil
	}
	switch a := answer.(type) {
	case *protocol.ChooseParityResponse:
		m := &protocol.GameMoveResponse{Envelope: a.Envelope, PlayerID: a.PlayerID}
		m.MessageType, m.MoveData.Choice = protocol.TypeGameMoveResponse, a.ParityChoice
		return m
	case *protocol.GameMoveResponse:
		m := &protocol.ChooseParityResponse{Envelope: a.Envelope, PlayerID: a.PlayerID, ParityChoice: a.MoveData.Choice}
		m.MessageType = protocol.TypeChooseParityResponse
		return m
	}
	return nil
}
