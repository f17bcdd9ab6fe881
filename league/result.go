package league

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"agentleague/protocol"
)

// A Result is the outcome of a match in normalized form: equal outcomes are equal values.
type Result struct {
	Status   string                     `json:"status"`           // WIN, DRAW or TECHNICAL_LOSS
	Winner   string                     `json:"winner,omitempty"` // empty: a draw, or both forfeited
	Drawn    *int                       `json:"drawn_number,omitempty"`
	Choices  map[string]json.RawMessage `json:"choices,omitempty"`  // of the players that made one
	Forfeits map[string]string          `json:"forfeits,omitempty"` // player id to error code
}

// normalise converts a report's result for the match of players a and b. It returns an error for a contradictory
// result.
func normalise(r protocol.ReportedResult, a, b string) (Result, error) {
	out := Result{
		Drawn: r.Details.DrawnNumber.Value, Choices: canonicalChoices(r.Details.Choices), Forfeits: r.Details.Forfeits,
	}
	var word string
	if r.Winner != nil {
		word = strings.TrimPrefix(*r.Winner, "player:")
	}
	out.Status = strings.ToUpper(r.Details.Status)
	switch {
	case word == a || word == "PLAYER_A":
		out.Winner = a
	case word == b || word == "PLAYER_B":
		out.Winner = b
	case word == "" || word == "NONE" || word == "null":
	case word == "DRAW" || word == "TIE":
		out.Status = protocol.Draw
	default:
		return out, badResult("winner", "want %s, %s or null, got %q", a, b, Clip(word))
	}
	if err := out.settle(r.Score); err != nil {
		return out, err
	}
	out.setForfeits(a, b)
	return out, checkScore(r.Score, out.Winner, a, b)
}

// settle derives the status from the winner if it is missing or unknown, as in reports of third-party referees. It
// returns an error for contradictions.
func (r *Result) settle(score map[string]json.RawMessage) error {
	won := r.Winner != ""
	switch {
	case won && r.Status == protocol.Draw, !won && r.Status == protocol.Win:
		return badResult("details.status", "%s does not go with the winner %q", r.Status, r.Winner)
	case r.Status == protocol.TechnicalLoss:
	case won:
		r.Status = protocol.Win
	case r.Status != protocol.Draw && scoreless(score) && r.Drawn == nil: // a drawn number excludes a forfeit
		r.Status = protocol.TechnicalLoss
	default:
		r.Status = protocol.Draw
	}
	return nil
}

func badResult(field, format string, args ...any) error {
	return protocol.Errorf(protocol.InvalidMessage, "result."+field+": "+format, args...).With("field", "result."+field)
}

// scoreless reports whether a score has entries and all of them are 0.
func scoreless(score map[string]json.RawMessage) bool {
	for _, raw := range score {
		if points, ok := number(raw); !ok || points != 0 {
			return false
		}
	}
	return len(score) > 0
}

// checkScore returns an error if a score contradicts the winner. The score is not used otherwise: points are
// computed from the result.
func checkScore(score map[string]json.RawMessage, winner, a, b string) error {
	forA, okA := number(score[a])
	forB, okB := number(score[b])
	if okA && okB && (winner == a && forA < forB || winner == b && forB < forA || winner == "" && forA != forB) {
		return badResult("score", "%v to %v does not go with the winner %q", forA, forB, winner)
	}
	return nil
}

// number decodes a JSON number; ok is false for null and other values.
func number(raw json.RawMessage) (n float64, ok bool) {
	err := json.Unmarshal(raw, &n)
	return n, err == nil && string(raw) != "null"
}

// setForfeits sets the forfeits of a technical loss to all players but the winner, even if a third-party referee did
// not name them. Other results get no forfeits.
func (r *Result) setForfeits(a, b string) {
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

// canonicalChoices returns the choices that are not null, in canonical form.
func canonicalChoices(choices map[string]json.RawMessage) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for id, raw := range choices {
		if c := canonical(raw); string(c) != "null" {
			out[id] = c
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// canonical returns a JSON value in the encoding of the log, so that equal values have equal bytes.
func canonical(raw json.RawMessage) json.RawMessage {
	if isCanonical(raw) {
		return bytes.Clone(raw) // the state keeps it, and shall not keep all of the report
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	_ = d.Decode(&v) // unreadable JSON becomes null
	out, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return out
}

// isCanonical reports whether a JSON value is null or a string of plain characters, as nearly every choice is. Such a
// value is already canonical.
func isCanonical(raw []byte) bool {
	if string(raw) == "null" {
		return true
	}
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return false
	}
	for _, c := range raw[1 : len(raw)-1] {
		if c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// same reports whether two reports of one match have the same result.
func (r Result) same(other Result) bool {
	drawn := (r.Drawn == nil) == (other.Drawn == nil) && (r.Drawn == nil || *r.Drawn == *other.Drawn)
	return r.Status == other.Status && r.Winner == other.Winner && drawn &&
		maps.EqualFunc(r.Choices, other.Choices, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

// For returns the outcome for one player: a win, a draw, a loss or a technical loss.
func (r Result) For(player string) string {
	_, forfeited := r.Forfeits[player]
	switch {
	case forfeited:
		return protocol.TechnicalLoss
	case r.Winner == player:
		return protocol.Win
	case r.Status == protocol.Draw:
		return protocol.Draw
	}
	return protocol.Loss
}

// Points returns the points of a player for the result.
func (r Result) Points(player string, s protocol.Scoring) int {
	switch r.For(player) {
	case protocol.TechnicalLoss:
		return s.TechnicalLoss
	case protocol.Win:
		return s.Win
	case protocol.Draw:
		return s.Draw
	}
	return s.Loss
}
