package duel

import (
	"context"
	"strings"

	"agentleague/game"
	"agentleague/player/minds/minimax"
	"agentleague/protocol"
	"agentleague/protocol/grid"
)

// A Trial plays one player against others, and finds the first game that it lost by the rules.
type Trial struct {
	Options
	Games int // against each opponent
}

// A LostGame is a game that the player lost by the rules.
type LostGame struct {
	Opponent string    `json:"opponent"`
	Seat     int       `json:"seat"`     // from 1
	Position string    `json:"position"` // before the move, as it saw it
	Move     game.Move `json:"move"`     // the losing move, or the last one if unknown
	Sure     bool      `json:"sure"`     // no other move is known to lose
	Reason   string    `json:"reason"`
}

// Against plays a series of games between two sides. Besides the tally it returns the first game that sides[0] lost
// without a forfeit; nil if there is none.
func (t Trial) Against(ctx context.Context, sides [2]Side) (tally Tally, lost *LostGame, err error) {
	s := &Series{Options: t.Options, Sides: sides, Games: t.Games, Tables: 1}
	s.Keep = func(_ string, doc []byte) error {
		rec, err := protocol.ParseRecord(doc)
		if err == nil && lost == nil && rec.Result.Status == protocol.Win && *rec.Result.WinnerPlayerID == other {
			lost, err = t.lostBy(ctx, rec, sides[1].Name)
		}
		return err
	}
	tally, err = s.Play(ctx)
	return tally, lost, err
}

// own and other are the ids of the tested player and of its opponent.
const own, other = "P01", "P02"

// farAhead is the search depth from each position of a lost game.
const farAhead = 6

// lostBy finds the move that lost a game.
func (t Trial) lostBy(ctx context.Context, rec protocol.MatchRecord, opponent string) (*LostGame, error) {
	out := &LostGame{Opponent: opponent, Seat: 1, Reason: rec.Result.Reason}
	if rec.PlayerBID == own {
		out.Seat = 2
	}
	rules, err := t.Rules.Lookup(t.Game)
	if err != nil {
		return nil, err
	}
	state, err := t.Openings.Begin(rules, rec.Fairness.Key)
	if err != nil {
		return nil, err
	}
	turn := -1
	for _, m := range rec.Moves {
		if m.PlayerID == own {
			turn = m.Turn
		}
	}
	at, found, err := mistake(ctx, state, &rec, game.Seat(out.Seat-1))
	if err != nil {
		return nil, err
	}
	if out.Sure = found; found {
		turn = at
	}
	return out, t.show(state, rec, turn, out)
}

// Mistake finds the move that lost a finished match of a game: its turn, from 0. It returns false if the match has no
// winner by the rules, or if the game cannot be searched.
func Mistake(ctx context.Context, g game.Game, rec *protocol.MatchRecord) (turn int, found bool, err error) {
	if rec.Result.Status != protocol.Win || rec.Result.WinnerPlayerID == nil {
		return 0, false, nil
	}
	state, err := Openings{}.Begin(g, rec.Fairness.Key)
	if err != nil {
		return 0, false, err
	}
	loser := game.Seat(0)
	if *rec.Result.WinnerPlayerID == rec.PlayerAID {
		loser = 1
	}
	return mistake(ctx, state, rec, loser)
}

// mistake finds the move that lost a match for a seat, if everything in the game is visible.
func mistake(ctx context.Context, start game.State, rec *protocol.MatchRecord, seat game.Seat) (int, bool, error) {
	open, ok := start.(game.Open)
	if !ok || len(start.ToMove()) != 1 {
		return 0, false, nil
	}
	var moves []game.Move
	for _, m := range rec.Moves {
		moves = append(moves, m.Move)
	}
	return minimax.Mistake(ctx, open, moves, seat, farAhead)
}

// show plays a match again up to a turn, and records the player's view and move there.
func (t Trial) show(state game.State, rec protocol.MatchRecord, turn int, out *LostGame) error {
	ids := map[string]game.Seat{rec.PlayerAID: 0, rec.PlayerBID: 1}
	for at := 0; at <= turn; at++ {
		step := map[game.Seat]game.Move{}
		for _, m := range rec.Moves {
			if m.Turn == at {
				step[ids[m.PlayerID]] = m.Move
			}
		}
		if at == turn {
			out.Position, out.Move = seenAt(state.View(ids[own])), step[ids[own]]
			return nil
		}
		if err := state.Apply(step); err != nil {
			return err
		}
	}
	return nil
}

// seenAt is a position as text: its board, or the game's context.
func seenAt(v game.View) string {
	if board, ok := grid.Read(v.Context); ok {
		return board.Text()
	}
	return strings.Trim(string(v.Context), "{}")
}
