package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"agentleague/protocol"
)

// boards draws the positions of a match on a terminal, each once.
type boards struct {
	told map[string]string // by those who see it, what was drawn last
	last string
}

// draw draws the board that a game tells of to somebody, if there is one that was not just drawn.
func (b *boards) draw(out io.Writer, to string, context json.RawMessage) {
	board, ok := protocol.ReadBoard(context)
	if !ok {
		return
	}
	text := board.Text()
	if text == b.last || text == b.told[to] {
		return
	}
	if b.told == nil {
		b.told = map[string]string{}
	}
	b.told[to], b.last = text, text
	for line := range strings.Lines(text) {
		fmt.Fprint(out, "      ", line)
	}
}

// drawIn draws the board that a message of a match tells of.
func (b *boards) drawIn(out io.Writer, e protocol.TranscriptEntry) {
	var m struct {
		Request struct {
			Context json.RawMessage `json:"context"`
		} `json:"move_request"`
		Result struct {
			Details json.RawMessage `json:"details"`
		} `json:"game_result"`
	}
	_ = json.Unmarshal(e.Message, &m) // what cannot be read has no board
	b.draw(out, e.To, m.Request.Context)
	b.draw(out, "", m.Result.Details)
}

// lastBoard draws the board with which a match ended.
func lastBoard(out io.Writer, details map[string]json.RawMessage) {
	if doc, err := json.Marshal(details); err == nil {
		new(boards).draw(out, "", doc)
	}
}
