package league

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"agentleague/protocol"
)

// A leanResult is the type with which [DecodeLean] decodes a [ResultRecorded]: it has the same members in the same
// order, but needs no memory for data that is used only once.
type leanResult struct {
	Match        string                          `json:"match"`
	Attempt      int                             `json:"attempt"`
	Referee      string                          `json:"referee,omitempty"`
	Result       leanOutcome                     `json:"result"`
	DrawKey      string                          `json:"draw_key,omitempty"`
	RecordSHA256 string                          `json:"record_sha256,omitempty"`
	Moves        []Moved                         `json:"moves,omitempty"`
	Signed       signers                         `json:"signed,omitempty"`
	Timing       protocol.Pairs[protocol.Timing] `json:"timing,omitempty"`
	Usage        map[string]protocol.Usage       `json:"usage,omitempty"`
	Note         string                          `json:"note,omitempty"`
}

// A leanOutcome is a [Result] of a leanResult.
type leanOutcome struct {
	Status   string                          `json:"status"`
	Winner   string                          `json:"winner,omitempty"`
	Drawn    *int                            `json:"drawn_number,omitempty"`
	Choices  protocol.Pairs[json.RawMessage] `json:"choices,omitempty"`
	Forfeits map[string]string               `json:"forfeits,omitempty"`
}

// signers lists the players with signed answers in a result. Decoding validates the answers and drops them.
type signers = protocol.Pairs[protocol.Checked[protocol.SignedAnswers]]

func (leanResult) event() {}

// result returns the part of the result that a state of [NewSummaryState] keeps: all without signatures and response times, and
// without choices that equal the moves.
func (e *leanResult) result() ResultRecorded {
	out := ResultRecorded{
		Match: e.Match, Attempt: e.Attempt, Referee: e.Referee, DrawKey: e.DrawKey, RecordSHA256: e.RecordSHA256,
		Moves: e.Moves, Usage: e.Usage, Note: e.Note,
		Result: Result{Status: e.Result.Status, Winner: e.Result.Winner, Drawn: e.Result.Drawn, Forfeits: e.Result.Forfeits},
	}
	choices := e.Result.Choices
	if out.spared = follow(out.Moves, len(choices), choices.Get); !out.spared {
		out.Result.Choices = choices.Map()
	}
	return out
}

// aside returns the data that [leanResult.result] drops.
func (e *leanResult) aside() aside { return aside{e.Signed, e.Timing} }

// An aside holds the data of a recorded result that a state of [NewSummaryState] uses once and does not keep. It is empty for a
// full [ResultRecorded], which has the data itself.
type aside struct {
	signed signers
	timing protocol.Pairs[protocol.Timing]
}

// signedBy reports whether a result was recorded with a player's signed answers.
func (a aside) signedBy(e *ResultRecorded, player string) bool {
	_, signed := e.Signed[player]
	_, did := a.signed.Get(player)
	return signed || did
}

// timingOf returns a player's response time, if it was recorded with the result.
func (a aside) timingOf(e *ResultRecorded, player string) (protocol.Timing, bool) {
	if t, ok := e.Timing[player]; ok {
		return t, true
	}
	return a.timing.Get(player)
}

// choicesFollow reports whether the choices can be derived from the moves: each player has at most one move, and
// its choice equals that.
func (r *ResultRecorded) choicesFollow() bool {
	return follow(r.Moves, len(r.Result.Choices), func(player string) (json.RawMessage, bool) {
		c, ok := r.Result.Choices[player]
		return c, ok
	})
}

// follow reports whether the n choices of a result equal its moves. Each player may have only one move; choice returns
// a player's choice.
func follow(moves []Moved, n int, choice func(player string) (json.RawMessage, bool)) bool {
	if len(moves) == 0 || len(moves) != n {
		return false
	}
	for i, m := range moves {
		first := slices.IndexFunc(moves, func(other Moved) bool { return other.PlayerID == m.PlayerID })
		if c, _ := choice(m.PlayerID); first != i || !bytes.Equal(c, m.Move) {
			return false
		}
	}
	return true
}

// detachedCopy returns a copy of the result with separate memory. Without the copy, one string in the state would
// retain the whole buffer of the report, some kilobytes. Signed answers stay shared, since a state of [NewSummaryState] drops
// them.
func (r ResultRecorded) detachedCopy() ResultRecorded {
	r.DrawKey, r.RecordSHA256 = strings.Clone(r.DrawKey), strings.Clone(r.RecordSHA256)
	r.Result.Status, r.Note = strings.Clone(r.Result.Status), strings.Clone(r.Note)
	if drawn := r.Result.Drawn; drawn != nil {
		n := *drawn
		r.Result.Drawn = &n
	}
	if !r.choicesFollow() { // else a lean state forgets them too
		r.Result.Choices = cloned(r.Result.Choices, slices.Clone[json.RawMessage])
	}
	r.Result.Forfeits = cloned(r.Result.Forfeits, strings.Clone)
	r.Moves = slices.Clone(r.Moves)
	for i, m := range r.Moves {
		r.Moves[i].PlayerID, r.Moves[i].Move = strings.Clone(m.PlayerID), bytes.Clone(m.Move)
	}
	return r
}

// cloned returns a copy of m with copied keys, and values copied by clone.
func cloned[V any](m map[string]V, clone func(V) V) map[string]V {
	if m == nil {
		return nil
	}
	out := make(map[string]V, len(m))
	for k, v := range m {
		out[strings.Clone(k)] = clone(v)
	}
	return out
}
