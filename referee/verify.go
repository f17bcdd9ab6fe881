package referee

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/protocol"
)

// Verify plays a reported match again, from its moves and its draw key alone,
// and returns an error that names the first field that does not follow from
// them. What players signed has to fit: a move that its player did not sign,
// among answers that it did, is named. Whether the signatures themselves are
// right is for those who have the keys. Points are not looked at: what an ending is worth is the league's affair.
func Verify(games func(gameType string) (game.Game, error), r *protocol.MatchResultReport, playerA, playerB string) error {
	want, err := rederive(games, r, playerA, playerB)
	if err != nil || want == nil {
		return err
	}
	return compare(r.Result, *want)
}

// VerifyLogged is Verify for a result as a league's log keeps it: without what
// a game tells of its end besides the number that was drawn.
func VerifyLogged(games func(gameType string) (game.Game, error), r *protocol.MatchResultReport, playerA, playerB string) error {
	want, err := rederive(games, r, playerA, playerB)
	if err != nil || want == nil {
		return err
	}
	want.NumberParity = r.Result.Details.NumberParity
	return compare(r.Result, *want)
}

// rederive plays a reported match again and returns how it ends, or nil if
// somebody forfeited it and what can be checked of that is right.
func rederive(games func(gameType string) (game.Game, error), r *protocol.MatchResultReport, playerA, playerB string) (*protocol.GameResult, error) {
	if r.Fairness == nil {
		return nil, errors.New("fairness.key: missing")
	}
	rules, err := games(r.GameType)
	if err != nil {
		return nil, fmt.Errorf("game_type: %w", err)
	}
	lost := r.Result.Details.Status == protocol.TechnicalLoss
	key, err := parseKey("fairness.key", r.Fairness.Key)
	if err != nil && !(lost && r.Fairness.Key == "" && rules.Info().GuestsMayJudge) { // a guest has none: nothing was drawn
		return nil, err
	}
	m, err := playedAgain(rules, key, r, playerA, playerB)
	if err != nil {
		return nil, err
	}
	if lost {
		_, over := m.state.Outcome()
		return nil, m.verifyForfeit(r.Result, over)
	}
	return m.ruled()
}

// playedAgain plays the moves of a report again under a key.
func playedAgain(rules game.Game, key []byte, r *protocol.MatchResultReport, playerA, playerB string) (*match, error) {
	state, err := rules.Start(2, draw.New(key))
	if err != nil {
		return nil, fmt.Errorf("game_type: %w", err)
	}
	m := &match{rules: rules, start: &protocol.StartMatch{}, state: state, moves: r.Moves, seats: []*seat{
		{Contender: protocol.Contender{ID: playerA}}, {Contender: protocol.Contender{ID: playerB}, index: 1},
	}}
	if err := m.signatures(r.Signed); err != nil {
		return nil, err
	}
	return m, m.replay()
}

// ruled returns the result of a match that was played to its end.
func (m *match) ruled() (*protocol.GameResult, error) {
	end, over := m.state.Outcome()
	if !over {
		return nil, errors.New("moves: the match does not end with them")
	}
	if err := m.verifyEnd(nil, nil); err != nil {
		return nil, err
	}
	out := &protocol.GameResult{Score: map[string]int{}, Choices: m.choices()}
	m.ruledOutcome(out, end)
	return out, nil
}

// replay plays the moves by their turns.
func (m *match) replay() error {
	for moves := m.moves; len(moves) > 0; m.turn++ {
		step := map[game.Seat]game.Move{}
		for len(moves) > 0 && moves[0].Turn == m.turn {
			s := m.seatOf(moves[0].PlayerID)
			if s == nil {
				return fmt.Errorf("moves: %q does not play in this match", moves[0].PlayerID)
			}
			if step[s.index] != nil {
				return fmt.Errorf("moves: turn %d: %s moves twice", m.turn, s.ID)
			}
			step[s.index] = moves[0].Move
			moves = moves[1:]
		}
		if len(step) == 0 {
			return fmt.Errorf("moves: turn %d is missing", m.turn)
		}
		if err := m.verifyTurn(step); err != nil {
			return err
		}
		if err := m.state.Apply(step); err != nil {
			return fmt.Errorf("moves: turn %d: %w", m.turn, err)
		}
	}
	return nil
}

// seatOf returns the seat of a player, or nil.
func (m *match) seatOf(player string) *seat {
	for _, s := range m.seats {
		if s.ID == player {
			return s
		}
	}
	return nil
}

// verifyForfeit checks what can be checked of a match that was not played to its end.
func (m *match) verifyForfeit(r protocol.ReportedResult, over bool) error {
	d := r.Details
	switch {
	case over:
		return errors.New("result.details.status: the moves end the match, nobody can have forfeited")
	case d.DrawnNumber != nil:
		return errors.New("result.details.drawn_number: nothing is drawn when a player forfeits")
	case d.NumberParity != nil:
		return errors.New("result.details.number_parity: nothing is drawn when a player forfeits")
	case len(d.Forfeits) == 0:
		return errors.New("result.details.forfeits: nobody forfeited")
	}
	for _, id := range slices.Sorted(maps.Keys(d.Forfeits)) {
		s := m.seatOf(id)
		if s == nil {
			return fmt.Errorf("result.details.forfeits: %q does not play in this match", id)
		}
		if len(m.moves) > 0 && !slices.Contains(m.state.ToMove(), s.index) {
			return fmt.Errorf("result.details.forfeits: %s was not to move", id)
		}
	}
	var winner *string
	for _, s := range m.seats {
		if _, lost := d.Forfeits[s.ID]; !lost {
			winner = &s.ID
		}
	}
	if !reflect.DeepEqual(r.Winner, winner) {
		return fmt.Errorf("result.winner: got %s, want %s", show(r.Winner), show(winner))
	}
	unplayed := map[game.Seat]game.Move{}
	if err := m.verifyEnd(d.Forfeits, unplayed); err != nil {
		return err
	}
	return m.verifySealed(d, unplayed)
}

// verifySealed checks the choices of a match with a forfeit: of the moves that
// were not played, one may be known of a player that did not forfeit. Of one
// that signs it is the one that it signed.
func (m *match) verifySealed(d protocol.ReportDetails, signed map[game.Seat]game.Move) error {
	want := m.choices()
	for _, s := range m.seats {
		got, there := d.Choices[s.ID]
		_, lost := d.Forfeits[s.ID]
		unplayed := there && !lost && string(want[s.ID]) == "null" && m.rules.Info().MaxTurns == 1
		switch {
		case !unplayed:
		case m.sworn[s.index] != nil:
			if mv, ok := signed[s.index]; ok {
				want[s.ID] = mv
			}
		case m.state.Check(s.index, got) == nil:
			want[s.ID] = got
		}
	}
	return compareChoices(d.Choices, want)
}

// compare names the first difference between a reported result and the one that follows from the moves.
func compare(got protocol.ReportedResult, want protocol.GameResult) error {
	d := got.Details
	switch {
	case d.Status != want.Status:
		return fmt.Errorf("result.details.status: got %q, want %q", d.Status, want.Status)
	case !reflect.DeepEqual(got.Winner, want.WinnerPlayerID):
		return fmt.Errorf("result.winner: got %s, want %s", show(got.Winner), show(want.WinnerPlayerID))
	case !reflect.DeepEqual(d.DrawnNumber, want.DrawnNumber):
		return fmt.Errorf("result.details.drawn_number: got %s, want %s", show(d.DrawnNumber), show(want.DrawnNumber))
	case !reflect.DeepEqual(d.NumberParity, want.NumberParity):
		return fmt.Errorf("result.details.number_parity: got %s, want %s", show(d.NumberParity), show(want.NumberParity))
	case len(d.Forfeits) > 0:
		return fmt.Errorf("result.details.forfeits: the match was played to its end")
	}
	return compareChoices(d.Choices, want.Choices)
}

func compareChoices(got, want map[string]json.RawMessage) error {
	if maps.EqualFunc(got, want, func(a, b json.RawMessage) bool { return bytes.Equal(compact(a), compact(b)) }) {
		return nil
	}
	return fmt.Errorf("result.details.choices: got %s, want %s", show(got), show(want))
}

// compact removes the spaces between the tokens of a JSON text.
func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

func show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(b)
}
