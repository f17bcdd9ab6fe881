package dialect

import (
	"encoding/json"
	"maps"

	"agentleague/protocol"
)

// withResult adds the result of a match to the answer to its order, for managers that read it there and take no
// report. The result has the members of a report, and aliases such as player1_choice and dice_roll.
func (o Request) withResult(answer json.RawMessage, r *protocol.MatchResultReport) json.RawMessage {
	report, err := protocol.Encode(r)
	var f, out, order fields
	if err != nil || json.Unmarshal(report, &f) != nil || json.Unmarshal(answer, &out) != nil {
		return answer
	}
	addAliases(protocol.TypeMatchResultReport, f)
	out.Put("status", "COMPLETED")
	order = maps.Clone(o.members)
	understand(protocol.TypeStartMatch, order)
	for i, player := range []string{"player1", "player2"} {
		id := textAt(order, []string{"player_A.id", "player_B.id"}[i])
		out.Put(player, id)
		if choice := r.Result.Details.Choices[id]; choice != nil {
			out[player+"_choice"] = choice
		}
	}
	out.Put("game_id", r.MatchID)
	out.Put("dice_roll", r.Result.Details.DrawnNumber.Value)
	out.Put("dice_parity", r.Result.Details.NumberParity.Value)
	out.Put("is_draw", r.Result.Details.Status == protocol.Draw)
	for name, v := range f {
		if !out.Has(name) {
			out[name] = v
		}
	}
	return marshalOr(out, answer)
}
