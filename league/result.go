package league

import (
	"bytes"
	"encoding/json"

	"agentleague/protocol"
)

// A Result is the outcome of a match after all the ways of writing it have
// been brought into one.
type Result struct {
	Status   string                     `json:"status"`           // WIN, DRAW or TECHNICAL_LOSS
	Winner   string                     `json:"winner,omitempty"` // empty: a draw, or both forfeited
	Drawn    *int                       `json:"drawn_number,omitempty"`
	Choices  map[string]json.RawMessage `json:"choices,omitempty"`
	Forfeits map[string]string          `json:"forfeits,omitempty"` // player id to error code
}

// normalise reads a report's result for the match of a and b.
func normalise(r protocol.ReportedResult, a, b string) (Result, error) {
	out := Result{Status: r.Details.Status, Drawn: r.Details.DrawnNumber, Choices: r.Details.Choices, Forfeits: r.Details.Forfeits}
	if r.Winner != nil {
		out.Winner = *r.Winner
	}
	switch out.Winner {
	case "PLAYER_A":
		out.Winner = a
	case "PLAYER_B":
		out.Winner = b
	case "DRAW", "TIE":
		out.Winner, out.Status = "", protocol.Draw
	case "NONE", "null":
		out.Winner = ""
	}
	if out.Winner != "" && out.Winner != a && out.Winner != b {
		return out, protocol.Errorf(protocol.InvalidMessage, "result.winner: want %s, %s or null, got %q", a, b, out.Winner)
	}
	switch {
	case out.Winner != "" && out.Status != protocol.TechnicalLoss:
		out.Status = protocol.Win
	case out.Winner == "" && out.Status != protocol.Draw && (out.Status == protocol.TechnicalLoss || scoreless(r.Score)):
		out.Status = protocol.TechnicalLoss
	case out.Winner == "":
		out.Status = protocol.Draw
	}
	out.blame(a, b)
	return out, nil
}

// scoreless reports whether a score gives points to nobody.
func scoreless(score map[string]json.RawMessage) bool {
	for _, raw := range score {
		var points float64
		if json.Unmarshal(raw, &points) != nil || points != 0 {
			return false
		}
	}
	return len(score) > 0
}

// blame makes sure that a forfeit names who forfeited, also where a foreign
// referee did not say.
func (r *Result) blame(a, b string) {
	if r.Status != protocol.TechnicalLoss {
		r.Forfeits = nil
		return
	}
	given := r.Forfeits
	r.Forfeits = map[string]string{}
	for _, id := range []string{a, b} {
		if id != r.Winner {
			r.Forfeits[id] = given[id]
		}
	}
}

// same reports whether two reports of one match say the same.
func (r Result) same(other Result) bool {
	if r.Status != other.Status || r.Winner != other.Winner || (r.Drawn == nil) != (other.Drawn == nil) || len(r.Choices) != len(other.Choices) {
		return false
	}
	if r.Drawn != nil && *r.Drawn != *other.Drawn {
		return false
	}
	for id, c := range r.Choices {
		if !bytes.Equal(compact(c), compact(other.Choices[id])) {
			return false
		}
	}
	return true
}

func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// points returns what the result is worth to a player.
func (r Result) points(player string, s protocol.Scoring) int {
	_, forfeited := r.Forfeits[player]
	switch {
	case forfeited:
		return s.TechnicalLoss
	case r.Winner == player:
		return s.Win
	case r.Status == protocol.Draw:
		return s.Draw
	}
	return s.Loss
}
