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
func liveView(told *protocol.MatchState, a, b NameView) *LiveView {
	out := &LiveView{Players: []LivePlayer{}, Position: Position{Seen: []Sight{}}}
	if told != nil {
		out.Turn = max(0, told.Turn)
		out.see(told.Spectator, a, b)
		for _, p := range told.Players {
			for _, name := range []NameView{a, b} {
				if name.ID == p.PlayerID {
					out.Players = append(out.Players, LivePlayer{name, p.ToMove, p.ToMove && p.Answered})
				}
			}
		}
	}
	text, _ := json.Marshal(out) // it always encodes
	out.Stamp = strconv.FormatUint(uint64(hashed(string(text))), 36)
	return out
}

// see adds what a spectator sees, if that is anything.
func (l *LiveView) see(context json.RawMessage, a, b NameView) {
	board, _ := readBoard(context)
	s := Sight{Board: board.named(a, b, NameView{}), Facts: besides(context)}
	if len(board.Cells) > 0 || len(s.Facts) > 0 {
		l.Seen = append(l.Seen, s)
	}
}
