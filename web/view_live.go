package web

import (
	"encoding/json"
	"hash/crc32"
	"strconv"

	"agentleague/protocol"
	"agentleague/web/board"
	"agentleague/web/replay"
)

// A LiveView is the public state of a match in play, from its referee. No result depends on it.
type LiveView struct {
	replay.Position
	Players []LivePlayer `json:"players"`
	Stamp   string       `json:"stamp"` // changes with the content; ?after=STAMP waits for that
}

// A LivePlayer is a player of a match in play.
type LivePlayer struct {
	NameView
	Asked    bool `json:"to_move"`
	Answered bool `json:"answered"` // the fact, never the answer
}

// liveView returns the view of a referee's state of a match; a nil state is empty.
func liveView(told *protocol.MatchState, a, b NameView) *LiveView {
	out := &LiveView{Players: []LivePlayer{}, Position: replay.Position{Seen: []replay.Sight{}}}
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
	text, _ := json.Marshal(out) // encoding cannot fail
	out.Stamp = strconv.FormatUint(uint64(crc32.ChecksumIEEE(text)), 36)
	return out
}

// see adds the spectator's view, if it has content.
func (l *LiveView) see(context json.RawMessage, a, b NameView) {
	seen, _ := board.Read(context)
	names := replay.RowNames(a.replay(), b.replay(), replay.Name{})
	s := replay.Sight{Board: seen.Named(names), Facts: board.Named(board.Besides(context), names)}
	if len(s.Board.Cells) > 0 || len(s.Facts) > 0 {
		l.Seen = append(l.Seen, s)
	}
}
