package dialect

import (
	"encoding/json"
	"fmt"

	"agentleague/protocol"
)

// minimal reduces a message to the members of a strict model that some peers validate, which refuses all others. The
// model has another id format. Members that it requires and we do not have get an acceptable value, because such a peer
// starts no other match before it has received the GAME_OVER of this one.
func minimal(t protocol.Type, m fields) {
	match := m["match_id"]
	f := fields{"match_id": numbered(match), "round_id": m["round_id"]}
	switch t {
	case protocol.TypeGameInvitation:
		f.Put("opponent_id", protocol.Sender(protocol.RolePlayer, textAt(m, "opponent_id")))
		role := textAt(m, "role_in_match")
		f.Put("role_in_match", role[max(0, len(role)-1):])
	case protocol.TypeGameOver:
		minimalEnd(m, f)
	case protocol.TypeChooseParityCall:
	default:
		return
	}
	for name := range m {
		if !envelopeMembers[name] || name == "league_id" {
			delete(m, name)
		}
	}
	for name, v := range f {
		m[name] = v
	}
}

// minimalEnd sets the members of f that describe the end of a match in the minimal model, by seat instead of by id.
func minimalEnd(m, f fields) {
	me, other := textAt(m, "your_choice"), textAt(m, "opponent_choice")
	a, b := me, other
	if textAt(m, "player_id") > textAt(m, "opponent_id") { // the lower id has the first seat
		a, b = other, me
	}
	f.Put("player_a_choice", orEven(a))
	f.Put("player_b_choice", orEven(b))
	var number int
	_ = json.Unmarshal(m.Get("game_result.drawn_number"), &number)
	f.Put("random_number", max(number, 1))
	f["winner_id"] = m.Get("game_result.winner_player_id")
	if f["winner_id"] == nil {
		f["winner_id"] = json.RawMessage("null")
	}
	f.Put("calculation", textAt(m, "game_result.reason"))
	f.Put("round_duration_ms", 0)
}

// orEven returns the choice of a seat, or "even" if it made none, because the model requires a choice. The reason
// contains the facts.
func orEven(choice string) string {
	if choice == "" {
		return "even"
	}
	return choice
}

// numbered converts a match id such as R2M3 to M-20003. Other ids stay unchanged.
func numbered(id json.RawMessage) json.RawMessage {
	var text string
	var round, match int
	_ = json.Unmarshal(id, &text)
	if n, _ := fmt.Sscanf(text, "R%dM%d", &round, &match); n != 2 {
		return id
	}
	return marshalOr(fmt.Sprintf("M-%d%04d", round, match), id)
}
