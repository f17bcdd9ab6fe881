package replay

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/web/board"
)

// moveMost limits the characters of a move.
const moveMost = 60

// A reader collects the positions from the messages of a match.
type reader struct {
	out   []Position
	moves []Moved            // since the newest
	clock map[string]float64 // milliseconds that each player has used
	asked map[string]float64 // since its last move
	seats map[string]int     // of the players
	marks map[string]string  // of the players on the board
}

// toldIn holds the members of messages about a position or a move.
type toldIn struct {
	PlayerID string `json:"player_id"`
	Turn     int    `json:"turn"`
	Request  struct {
		Context json.RawMessage `json:"context"`
	} `json:"move_request"`
	Move struct {
		Choice json.RawMessage `json:"choice"`
	} `json:"move_data"`
	Result struct {
		Details json.RawMessage `json:"details"`
	} `json:"game_result"`
}

// message processes one message of the match's record: moves, players' views, and the end. Unreadable messages are
// skipped; a record of a third-party referee may contain anything.
func (r *reader) message(l Message) {
	var m toldIn
	_ = json.Unmarshal(l.Body, &m) // an unreadable message has no position
	switch l.Type {
	case protocol.TypeGameMoveResponse:
		r.moved(Moved{PlayerID: l.From, Move: view.Clean(board.Plain(m.Move.Choice), moveMost), TookMS: r.asked[l.From], raw: m.Move.Choice})
	case protocol.TypeGameMoveCall:
		if s, ok := sightOf(m.Request.Context); ok {
			s.Players = []string{l.To}
			r.marks[l.To] = board.Mark(m.Request.Context)
			r.see(Position{Turn: m.Turn}, s)
		}
	case protocol.TypeGameOver:
		if s, ok := sightOf(m.Result.Details); ok {
			r.see(Position{Turn: r.turns(), End: true}, s)
		}
	}
	if l.Type != protocol.TypeGameInvitation {
		r.clock[l.To] += l.AgentMS
		r.asked[l.To] += l.AgentMS
	}
}

// moved records an answer. After a rejected answer the next one counts.
func (r *reader) moved(m Moved) {
	r.moves = slices.DeleteFunc(r.moves, func(o Moved) bool { return o.PlayerID == m.PlayerID })
	r.moves = append(r.moves, m)
	delete(r.asked, m.PlayerID)
}

// turns returns the number of moves.
func (r *reader) turns() int {
	if len(r.out) == 0 {
		return 0
	}
	if n := r.out[len(r.out)-1]; n.End || len(r.moves) == 0 {
		return n.Turn
	}
	return r.out[len(r.out)-1].Turn + 1
}

// see adds a view, to the newest position if it belongs there.
func (r *reader) see(p Position, s Sight) {
	if n := len(r.out); n == 0 || r.out[n-1].Turn != p.Turn || r.out[n-1].End != p.End {
		slices.SortStableFunc(r.moves, func(a, b Moved) int { return cmp.Compare(r.seats[a.PlayerID], r.seats[b.PlayerID]) })
		p.Moves, r.moves, p.used = r.moves, nil, maps.Clone(r.clock)
		r.out = append(r.out, p)
	}
	now := &r.out[len(r.out)-1]
	s.Board = s.Board.Since(r.before(s))
	for i, other := range now.Seen {
		if other.Board.Same(s.Board) && reflect.DeepEqual(other.Facts, s.Facts) {
			if len(s.Players) == 1 && !slices.Contains(other.Players, s.Players[0]) {
				now.Seen[i].Players = append(other.Players, s.Players...)
			}
			return
		}
	}
	now.Seen = slices.DeleteFunc(now.Seen, func(o Sight) bool { return slices.Equal(o.Players, s.Players) })
	now.Seen = append(now.Seen, s)
}

// before returns the boards to compare a view with: those of the position before, and the last one that the same
// player saw.
func (r *reader) before(s Sight) (out []board.Board) {
	for i := len(r.out) - 2; i >= 0; i-- {
		mine := false
		for _, past := range r.out[i].Seen {
			if same := slices.Equal(past.Players, s.Players); same || i == len(r.out)-2 {
				mine = mine || same
				out = append(out, past.Board)
			}
		}
		if mine {
			break
		}
	}
	return out
}

// sightOf returns the board and the facts in the JSON context of a move request; ok is false if context has no board.
func sightOf(context json.RawMessage) (s Sight, ok bool) {
	b, ok := board.Read(context)
	if !ok {
		return Sight{}, false
	}
	return Sight{Board: b, Facts: board.Besides(context)}, true
}

// thinned drops positions until the rest can be shown, but never the first or the last.
func thinned(all []Position, marks []int) []Position {
	cells := 0
	for _, p := range all {
		for _, s := range p.Seen {
			cells += len(s.Board.Cells)
		}
	}
	every := cells/boardsMost + 1
	if every == 1 {
		return all
	}
	var out []Position
	at := make([]int, len(all))
	var left []Moved // of the positions that were left out
	for i, p := range all {
		if left = append(left, p.Moves...); i%every == 0 || i == len(all)-1 {
			p.Moves, left = left, nil
			out = append(out, p)
		}
		at[i] = len(out) - 1
	}
	for i, mark := range marks {
		if mark >= 0 {
			marks[i] = at[mark]
		}
	}
	return out
}
