package referee

import (
	"encoding/json"
	"slices"
	"strings"

	"agentleague/game"
	"agentleague/protocol"
)

// A scoresheet holds the data from which the result of a match is computed, besides the outcome of the game.
type scoresheet struct {
	rules   game.Game
	players []string // their ids, by seat
	scoring protocol.Scoring
	moves   []protocol.PlayedMove
}

// forfeited returns the result of a match with a forfeit. lost has, by seat, the reason for the forfeit or nil.
// unplayed has, by player, the valid answers that were not played.
func (s *scoresheet) forfeited(lost []*protocol.Error, unplayed map[string]json.RawMessage) protocol.GameResult {
	result := s.blank(protocol.TechnicalLoss, unplayed)
	result.Forfeits = map[string]string{}
	var reasons []string
	for i, id := range s.players {
		if lost[i] == nil {
			result.WinnerPlayerID = &id
			result.Score[id] = s.scoring.Win
			continue
		}
		result.Forfeits[id] = lost[i].Kind.Code
		result.Score[id] = s.scoring.TechnicalLoss
		reasons = append(reasons, protocol.ForfeitReason(id, lost[i]))
	}
	result.Reason = strings.Join(reasons, "; ")
	return result
}

// ruled returns the result of a match that ended by the rules of its game.
func (s *scoresheet) ruled(end game.Outcome) protocol.GameResult {
	result := s.blank(protocol.Draw, nil)
	winner, won := end.Winner()
	if won {
		result.Status = protocol.Win
	}
	for i, id := range s.players {
		switch {
		case !won:
			result.Score[id] = s.scoring.Draw
		case winner == game.Seat(i):
			result.Score[id] = s.scoring.Win
			result.WinnerPlayerID = &id
		default:
			result.Score[id] = s.scoring.Loss
		}
	}
	result.Reason = end.Sentence(slices.Clone(s.players))
	addDetails(&result, end.Details)
	return result
}

// blank returns a result without winner, points, reason and drawn number.
func (s *scoresheet) blank(status string, unplayed map[string]json.RawMessage) protocol.GameResult {
	about := s.rules.Info()
	return protocol.GameResult{
		Status: status, Choices: s.choices(about.MaxTurns == 1, unplayed), Score: make(map[string]int, len(s.players)),
		DrawnNumber: protocol.DrawMember[int](about.Type, nil), NumberParity: protocol.DrawMember[string](about.Type, nil),
	}
}

// addDetails copies the details of the game's outcome into the fields that the protocol has for them.
func addDetails(result *protocol.GameResult, details map[string]any) {
	for name, value := range details {
		switch number, isNumber := value.(int); {
		case name == "drawn_number" && isNumber:
			result.DrawnNumber = protocol.Present(number)
			continue
		case name == "number_parity":
			if parity, ok := value.(string); ok {
				result.NumberParity = protocol.Present(parity)
				continue
			}
		}
		raw, err := json.Marshal(value)
		if err != nil {
			continue
		}
		switch name {
		case "drawn_number":
			_ = json.Unmarshal(raw, &result.DrawnNumber)
		case "number_parity":
			_ = json.Unmarshal(raw, &result.NumberParity)
		default:
			if result.Details == nil {
				result.Details = map[string]json.RawMessage{}
			}
			result.Details[name] = raw
		}
	}
}

// toldReason returns the reason of a result as the players receive it: a forfeit without the addresses of agents.
func toldReason(r protocol.GameResult) string {
	if len(r.Forfeits) == 0 {
		return r.Reason
	}
	return protocol.RedactText(r.Reason)
}

// null is the choice of a player without a move.
var null = json.RawMessage("null")

// choices returns the moves by player: the move in a game of one step, the list of moves in a longer one. In a game of
// one step, if the opponent's forfeit prevented an answer from being played, it is that answer. A player without a move
// has null.
func (s *scoresheet) choices(oneStep bool, unplayed map[string]json.RawMessage) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(s.players))
	for _, id := range s.players {
		out[id] = null
		if sealed, answered := unplayed[id]; answered && oneStep {
			out[id] = sealed
		}
		if oneStep {
			first := slices.IndexFunc(s.moves, func(mv protocol.PlayedMove) bool { return mv.PlayerID == id })
			if first >= 0 {
				out[id] = s.moves[first].Move
			}
			continue
		}
		var made []json.RawMessage
		for _, mv := range s.moves {
			if mv.PlayerID == id {
				made = append(made, mv.Move)
			}
		}
		if len(made) > 0 {
			out[id], _ = json.Marshal(made)
		}
	}
	return out
}

// heard returns the result for one player, such as WIN or LOSS.
func heard(player string, r protocol.GameResult) string {
	_, forfeited := r.Forfeits[player]
	switch {
	case forfeited:
		return protocol.TechnicalLoss
	case r.WinnerPlayerID != nil && *r.WinnerPlayerID == player:
		return protocol.Win
	case r.Status == protocol.Draw:
		return protocol.Draw
	}
	return protocol.Loss
}
