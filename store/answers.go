package store

import (
	"encoding/json"
	"errors"
	"sync"

	"agentleague/player"
	"agentleague/protocol"
)

// Answers keeps what one player signs until its match is over. Many players of
// one process share a file.
type Answers struct {
	root   *Root
	league string
	shared bool

	mu   sync.Mutex
	book *AnswerBook // nil: not open
	id   string      // whose it is
}

// NewAnswers keeps the answers of a player of a league; shared: in one file with the other players of this process.
func NewAnswers(root *Root, league string, shared bool) *Answers {
	return &Answers{root: root, league: league, shared: shared}
}

// Load returns what a player had signed when it was ended.
func (b *Answers) Load(id string) (out []player.Answer, err error) {
	if id == "" {
		return nil, nil
	}
	lines, err := LoadAnswers(b.root, b.league, id)
	for _, line := range lines {
		var a player.Answer
		if bad := json.Unmarshal(line, &a); bad != nil {
			return nil, errors.Join(err, bad)
		}
		out = append(out, a)
	}
	return out, err
}

// Keep returns once an answer is written: no end of the process loses it then.
func (b *Answers) Keep(a player.Answer) error {
	book, err := b.open(a.PlayerID)
	if err != nil {
		return err
	}
	line, err := protocol.MarshalAppend(make([]byte, 0, usualAnswer), &a)
	if err != nil {
		return err
	}
	return book.Keep(a.PlayerID, a.MatchID, a.Attempt, line)
}

// usualAnswer is for how many bytes of an answer's line there is room at once.
const usualAnswer = 640

// Drop notes that the answers in a match are not needed any more.
func (b *Answers) Drop(match string, upTo int) {
	b.mu.Lock()
	book, id := b.book, b.id
	b.mu.Unlock()
	if book != nil {
		book.Over(id, match, upTo)
	}
}

// open opens the book for a player. Where another process has the shared one, it is the player's own.
func (b *Answers) open(id string) (book *AnswerBook, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.book != nil && b.id == id {
		return b.book, nil
	}
	if b.book != nil {
		_ = b.book.Close()
		b.book = nil
	}
	whose := id
	if b.shared {
		whose = ""
	}
	book, err = OpenAnswers(b.root, b.league, whose)
	if b.shared && errors.Is(err, ErrBookTaken) {
		book, err = OpenAnswers(b.root, b.league, id)
	}
	if err == nil {
		b.book, b.id = book, id
	}
	return book, err
}

// Close gives the file back.
func (b *Answers) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.book == nil {
		return nil
	}
	err := b.book.Close()
	b.book = nil
	return err
}
