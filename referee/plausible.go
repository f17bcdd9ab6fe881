package referee

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"agentleague/game"
	"agentleague/protocol"
)

// Plausible returns an error if the fields of a report contradict each other: a number that the game does not draw, a
// parity other than the number's, an illegal choice, or a winner that does not follow. It is for reports of third-party
// referees, which contain no proof. Missing fields are accepted, except that a draw needs at least one choice.
func Plausible(games func(gameType string) (game.Game, error), r *protocol.MatchResultReport, playerA,
	playerB string) error {
	rules, err := games(r.GameType)
	if err != nil {
		return fmt.Errorf("game_type: %w", err)
	}
	c, err := newClaim(rules, r.Result, playerA, playerB)
	if err != nil || c.lost {
		return err
	}
	if c.winner < 0 && c.given[0] == nil && c.given[1] == nil {
		return fmt.Errorf(
			"result.details.choices: a draw was reported without any choices, although nobody forfeited; report what %s and "+
				"%s chose",
			playerA, playerB)
	}
	if rules.Info().MaxTurns > 1 {
		return c.checkReplay()
	}
	ends, err := c.endings()
	if err != nil || !saturated(ends) {
		return err
	}
	if ends, err = c.fitting(ends); err != nil {
		return err
	}
	return c.follows(ends)
}

// A claim is a third-party referee's report of a result, in normalized form.
type claim struct {
	rules  game.Game
	ids    []string
	winner int                // a seat; -1: a draw
	lost   bool               // a player forfeited
	given  [2]json.RawMessage // choices by seat; nil: none was reported
	number *int
	parity string
}

// newClaim normalizes the report of a third-party referee. The winner may be named by player id, by the id after
// "player:", or by seat; any other name is an error.
func newClaim(rules game.Game, r protocol.ReportedResult, playerA, playerB string) (*claim, error) {
	c := &claim{rules: rules, ids: []string{playerA, playerB}, winner: -1, number: r.Details.DrawnNumber.Value}
	if said := r.Details.NumberParity.Value; said != nil {
		c.parity = strings.ToLower(strings.TrimSpace(*said))
	}
	if r.Winner != nil {
		switch word := strings.TrimPrefix(*r.Winner, "player:"); word {
		case playerA, "PLAYER_A":
			c.winner = 0
		case playerB, "PLAYER_B":
			c.winner = 1
		case "", "NONE", "null", "DRAW", "TIE":
		default:
			return nil, fmt.Errorf("result.winner: %.64q was reported; only %s and %s play in this match",
				protocol.Plain(word), playerA, playerB)
		}
	}
	for seat, id := range c.ids {
		c.given[seat] = choiceIn(r.Details.Choices[id])
	}
	c.lost = c.forfeited(r)
	if _, gone := r.Details.Forfeits[c.name(c.winner)]; gone && c.winner >= 0 {
		return nil, fmt.Errorf("result.winner: %s was reported to win and to have forfeited", c.name(c.winner))
	}
	return c, nil
}

// forfeited reports whether a report means that a player forfeited. A report of no points, no winner and no drawn
// number means a forfeit too, unless its status is a draw.
func (c *claim) forfeited(r protocol.ReportedResult) bool {
	status := strings.ToUpper(r.Details.Status)
	if status == protocol.TechnicalLoss || len(r.Details.Forfeits) > 0 {
		return true
	}
	pointless := len(r.Score) > 0
	for _, raw := range r.Score {
		var n float64
		pointless = pointless && json.Unmarshal(raw, &n) == nil && n == 0
	}
	return pointless && c.winner < 0 && c.number == nil && status != protocol.Draw && r.Winner == nil
}

// choiceIn normalizes a reported choice: words are trimmed and lower-cased. It returns nil for an empty choice.
func choiceIn(raw json.RawMessage) json.RawMessage {
	var word string
	if json.Unmarshal(raw, &word) != nil {
		if text := string(compact(raw)); text != "" && text != "null" {
			return raw
		}
		return nil
	}
	if word = strings.ToLower(strings.TrimSpace(word)); word == "" {
		return nil
	}
	out, _ := json.Marshal(word) // a string always encodes
	return out
}

// fitting returns the endings with the reported number and parity, or an error if there is none.
func (c *claim) fitting(ends []ending) ([]ending, error) {
	if c.number != nil {
		low, high := bounds(ends)
		fit := slices.DeleteFunc(slices.Clone(ends), func(e ending) bool { return e.number != *c.number })
		if len(fit) == 0 {
			return nil, fmt.Errorf("result.details.drawn_number: %d was reported; %s draws from %d to %d", *c.number,
				c.rules.Info().Name, low, high)
		}
		ends = fit
	}
	if c.parity == "" {
		return ends, nil
	}
	fit := slices.DeleteFunc(slices.Clone(ends), func(e ending) bool { return e.parity != c.parity })
	switch {
	case len(fit) > 0:
		return fit, nil
	case c.number != nil:
		return nil, fmt.Errorf("result.details.number_parity: %.64q was reported with the number %d, which is %s",
			protocol.Plain(c.parity), *c.number, ends[0].parity)
	}
	return nil, fmt.Errorf("result.details.number_parity: %.64q was reported; a number is even or odd",
		protocol.Plain(c.parity))
}

// follows returns an error unless the reported winner wins in at least one of ends.
func (c *claim) follows(ends []ending) error {
	var winners []int
	for _, e := range ends {
		if e.winner == c.winner {
			return nil
		}
		if !slices.Contains(winners, e.winner) {
			winners = append(winners, e.winner)
		}
	}
	slices.Sort(winners)
	var could []string
	for _, w := range winners {
		could = append(could, c.verdict(w))
	}
	return fmt.Errorf("result.winner: %s was reported; %sthe match would be %s", c.verdict(c.winner), c.because(ends),
		strings.Join(could, " or "))
}

// because describes, for an error message, the reported fields other than the winner.
func (c *claim) because(ends []ending) (text string) {
	for seat, id := range c.ids {
		if c.given[seat] != nil {
			text += fmt.Sprintf("%s chose %.64s, ", id, protocol.Plain(string(c.given[seat])))
		}
	}
	if c.number != nil {
		text += fmt.Sprintf("the number was %d", *c.number)
		if ends[0].parity != "" {
			text += " (" + ends[0].parity + ")"
		}
		text += ", "
	} else if c.parity != "" {
		text += "the number was " + c.parity + ", "
	}
	if text == "" {
		return ""
	}
	return "but " + strings.TrimSuffix(text, ", ") + ": "
}

// verdict describes, for an error message, that the seat winner has won.
func (c *claim) verdict(winner int) string {
	if winner < 0 {
		return "a draw"
	}
	return "a win of " + c.name(winner)
}

// name returns the player id of a seat, or "" if the seat is -1.
func (c *claim) name(seat int) string {
	if seat < 0 {
		return ""
	}
	return c.ids[seat]
}

// bounds returns the lowest and the highest number that can be drawn.
func bounds(ends []ending) (low, high int) {
	byNumber := func(a, b ending) int { return cmp.Compare(a.number, b.number) }
	return slices.MinFunc(ends, byNumber).number, slices.MaxFunc(ends, byNumber).number
}
