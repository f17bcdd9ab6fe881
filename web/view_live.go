package web

import (
	"encoding/json"
	"strconv"

	"agentleague/protocol"
)

// A LiveView is a match in play as everybody may see it, told by its referee. No result rests on it.
type LiveView struct {
	Position
	Players []LivePlayer `json:"players"`
	Stamp   string       `json:"stamp"` // changes with what is shown; ?after=STAMP waits for that
}

// A LivePlayer is a player of a match in play.
type LivePlayer struct {
	NameView
	Asked    bool `json:"to_move"`
	Answered bool `json:"answered"` // never what
}

// liveView shows what a referee tells of a match; nil is nothing.
func liveView(told *protocol.MatchState, v MatchView) *LiveView {
	out := &LiveView{Players: []LivePlayer{}, Position: Position{Seen: []Sight{}}}
	if told != nil {
		out.Turn = max(0, told.Turn)
		out.see(told.Spectator, v)
		for _, p := range told.Players {
			if name := v.nameOf(p.PlayerID); name.ID != "" {
				out.Players = append(out.Players, LivePlayer{name, p.ToMove, p.ToMove && p.Answered})
			}
		}
	}
	text, _ := json.Marshal(out) // it always encodes
	out.Stamp = strconv.FormatUint(uint64(hashed(string(text))), 36)
	return out
}

// see adds what a spectator sees, if that is anything.
func (l *LiveView) see(context json.RawMessage, v MatchView) {
	board, _ := readBoard(context)
	s := Sight{Board: board.named(v.A.NameView, v.B.NameView, NameView{}), Facts: besides(context)}
	if len(board.Cells) > 0 || len(s.Facts) > 0 {
		l.Seen = append(l.Seen, s)
	}
}

// nameOf is one of the two players; none of them: nobody.
func (v MatchView) nameOf(id string) NameView {
	for _, side := range []ContestantView{v.A, v.B} {
		if side.ID == id {
			return side.NameView
		}
	}
	return NameView{}
}
