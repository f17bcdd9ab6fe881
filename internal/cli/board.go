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
	told map[string]string // the board that each viewer saw last
	last string
}

// draw draws the board for a viewer, if it has changed.
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

// drawIn draws the board in a message of a match.
func (b *boards) drawIn(out io.Writer, e protocol.TranscriptEntry) {
	var m struct {
		Request struct {
			Context json.RawMessage `json:"context"`
		} `json:"move_request"`
		Result struct {
			Details json.RawMessage `json:"details"`
		} `json:"game_result"`
	}
	_ = json.Unmarshal(e.Message, &m) // an unreadable message has no board
	b.draw(out, e.To, m.Request.Context)
	b.draw(out, "", m.Result.Details)
}

// lastBoard draws the board with which a match ended.
func lastBoard(out io.Writer, details map[string]json.RawMessage) {
	if doc, err := json.Marshal(details); err == nil {
		new(boards).draw(out, "", doc)
	}
}
