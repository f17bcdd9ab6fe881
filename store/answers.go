package store

import (
	"encoding/json"
	"errors"
	"sync"

	"agentleague/player"
	"agentleague/protocol"
)

// Answers stores the signed answers of one player until its matches are over. It is a view of an AnswerBook, which
// the players of one process may share.
type Answers struct {
	root   *Root
	league string
	shared bool

	mu   sync.Mutex
	book *AnswerBook // nil: not open
	id   string      // whose it is
}

// NewAnswers returns the store for the answers of a player in a league. If shared is set, the players of this
// process use one file.
func NewAnswers(root *Root, league string, shared bool) *Answers {
	return &Answers{root: root, league: league, shared: shared}
}

// Load returns the answers of a player in matches that were unfinished when it last stopped.
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

// Keep writes an answer. After its return a crash of the process does not lose the answer.
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

// usualAnswer is the initial capacity in bytes for the line of an answer.
const usualAnswer = 640

// Drop marks the answers in the attempts at a match up to number upTo as no longer needed.
func (b *Answers) Drop(match string, upTo int) {
	b.mu.Lock()
	book, id := b.book, b.id
	b.mu.Unlock()
	if book != nil {
		book.Over(id, match, upTo)
	}
}

// open opens the book of a player. If another process has locked the shared book, it opens the player's own book.
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

// Close closes the answer book, which other players may share.
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
