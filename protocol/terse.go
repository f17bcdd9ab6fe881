package protocol

import (
	"encoding/json"
	"fmt"
)

// Some peers take a message with the members of their own model and no other,
// and have their own ways of writing an id. What such a model asks for and
// nobody can know is filled in so that the message is taken: the peer is busy
// until it has heard the end of a match.

// terse writes a message with nothing but the members of such a model.
func terse(t Type, m fields) {
	match := m["match_id"]
	f := fields{"match_id": numbered(match), "round_id": m["round_id"]}
	switch t {
	case TypeGameInvitation:
		f.put("opponent_id", Sender(RolePlayer, textAt(m, "opponent_id")))
		role := textAt(m, "role_in_match")
		f.put("role_in_match", role[max(0, len(role)-1):])
	case TypeGameOver:
		terseEnd(m, f)
	case TypeChooseParityCall:
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

// terseEnd tells how a match ended in the terms of such a model: seats, not ids.
func terseEnd(m, f fields) {
	me, other := textAt(m, "your_choice"), textAt(m, "opponent_choice")
	a, b := me, other
	if textAt(m, "player_id") > textAt(m, "opponent_id") { // the lower id has the first seat
		a, b = other, me
	}
	f.put("player_a_choice", orEven(a))
	f.put("player_b_choice", orEven(b))
	var number int
	_ = json.Unmarshal(m.get("game_result.drawn_number"), &number)
	f.put("random_number", max(number, 1))
	f["winner_id"] = m.get("game_result.winner_player_id")
	if f["winner_id"] == nil {
		f["winner_id"] = json.RawMessage("null")
	}
	f.put("calculation", textAt(m, "game_result.reason"))
	f.put("round_duration_ms", 0)
}

// orEven is the choice of a seat. One that made none is told apart by the reason alone.
func orEven(choice string) string {
	if choice == "" {
		return "even"
	}
	return choice
}

// numbered writes a match id such as R2M3 as M-20003.
func numbered(id json.RawMessage) json.RawMessage {
	var text string
	var round, match int
	_ = json.Unmarshal(id, &text)
	if n, _ := fmt.Sscanf(text, "R%dM%d", &round, &match); n != 2 {
		return id
	}
	return mustMarshal(fmt.Sprintf("M-%d%04d", round, match), id)
}
