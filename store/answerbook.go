package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"agentleague/protocol"
)

// maxAnswers is the size in bytes above which an answer book is compacted.
const maxAnswers = 256 << 10

// An AnswerBook stores the answers that players have signed in unfinished matches. It is an append-only file that only
// its owner may read, since an answer reveals a choice before both are known. A line is an answer, or marks the
// answers of a player in a match up to an attempt as no longer needed:
//
//	{"player_id":"P01","match_id":"R1M1","attempt":1, … the player's own members}
//	{"player_id":"P01","match_id":"R1M1","attempt":1,"over":true}
//
// A player that restarts after a crash finds all its answers. A power failure may lose those of the last second, and
// with them at most the matches in play: an fsync per answer would cost a fifth of a match's time.
type AnswerBook struct {
	root  *Root
	name  string // relative to the data directory
	lock  *flock.Flock
	users int // guarded by the data directory

	mu     sync.Mutex
	unsaid []byte   // pending lines
	due    bool     // a flush and sync is scheduled
	failed error    // the error of the last sync, not returned to a caller yet
	file   *os.File // nil: not open
	size   int64
	open   map[answered][]json.RawMessage // by attempt at a match; nil: not read yet
}

// maxSyncDelay is the longest delay until written answers are synced.
const maxSyncDelay = time.Second

// An answered is a map key: the player, match and attempt of an answer.
type answered struct {
	PlayerID string `json:"player_id"`
	MatchID  string `json:"match_id"`
	Attempt  int    `json:"attempt"`
}

// An answerLine has the JSON members of a line that [AnswerBook] reads; the rest is opaque.
type answerLine struct {
	answered
	Over bool `json:"over,omitempty"`
}

// ErrBookTaken means that another process has the book open for writing.
var ErrBookTaken = errors.New("another process uses this file")

// OpenAnswers opens data/players/…/<id>/answers.jsonl, the book of one player. Without a player it opens
// data/players/…/answers.jsonl, which all players of one process share. Each call must be paired with a call of
// Close.
func OpenAnswers(r *Root, league, player string) (*AnswerBook, error) {
	name, err := answersFile(r, league, player)
	if err != nil {
		return nil, err
	}
	r.bookMu.Lock()
	defer r.bookMu.Unlock()
	if b := r.books[name]; b != nil {
		b.users++
		return b, nil
	}
	b := &AnswerBook{root: r, name: name, users: 1}
	if err := b.lockFile(); err != nil {
		return nil, err
	}
	if r.books == nil {
		r.books = map[string]*AnswerBook{}
	}
	r.books[name] = b
	return b, nil
}

// answersFile returns the name of a player's answer book, or of the book that all hosted players of a league share.
func answersFile(r *Root, league, player string) (string, error) {
	if player != "" {
		folder, err := r.inLeague(league, player)
		return "data/players/" + folder + "/answers.jsonl", err
	}
	folder, err := r.inLeague(league, "answers.jsonl") // an id that no player has
	return "data/players/" + folder, err
}

// lockFile locks the book. The lock prevents that two processes play as the same player and sign contradicting answers.
// The system releases it when the process ends.
func (b *AnswerBook) lockFile() error {
	path := b.root.path(b.name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return b.root.wrapFull(err)
	}
	b.lock = flock.New(path+".lock", flock.SetPermissions(0o600))
	switch taken, err := b.lock.TryLock(); {
	case err != nil:
		return b.root.wrapFull(err)
	case !taken:
		return fmt.Errorf("%s: %w", b.name, ErrBookTaken)
	}
	return nil
}

// Close releases the book. The last Close writes the pending lines and closes the file.
func (b *AnswerBook) Close() error {
	b.root.bookMu.Lock()
	defer b.root.bookMu.Unlock()
	if b.users--; b.users > 0 {
		return nil
	}
	delete(b.root.books, b.name)
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.flush()
	if b.file != nil {
		err = errors.Join(err, b.file.Sync(), b.file.Close())
		b.file, b.open = nil, nil
	}
	return errors.Join(err, b.lock.Unlock())
}

// Keep writes a player's answer in an attempt at a match. After its return a crash of the process does not lose the
// answer.
func (b *AnswerBook) Keep(player, match string, attempt int, answer json.RawMessage) error {
	about := answered{player, match, attempt}
	b.mu.Lock()
	defer b.mu.Unlock()
	err := errors.Join(b.failed, b.read())
	b.failed = nil
	if err == nil {
		b.open[about] = append(b.open[about], answer)
		b.appendPending(answer)
		err = b.flush()
	}
	if err != nil {
		return fmt.Errorf("the answer cannot be saved: %w", b.root.wrapFull(err))
	}
	return nil
}

// Over marks the player's answers in the attempts at a match up to attempt as no longer needed. It does not wait for
// the write.
func (b *AnswerBook) Over(player, match string, attempt int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.read() != nil {
		return
	}
	if !forget(b.open, answered{player, match, attempt}) {
		return
	}
	if said, err := protocol.MarshalAppend(b.unsaid, &answerLine{answered{player, match, attempt}, true}); err == nil {
		b.unsaid = append(said, '\n')
		b.scheduleSettle()
	}
}

// appendPending appends a line to the pending lines, and schedules their write. The caller holds the lock.
func (b *AnswerBook) appendPending(line []byte) {
	b.unsaid = append(append(b.unsaid, line...), '\n')
	b.scheduleSettle()
}

// scheduleSettle schedules a call of settle, unless one is scheduled. The caller holds the lock.
func (b *AnswerBook) scheduleSettle() {
	if !b.due {
		b.due = true
		time.AfterFunc(maxSyncDelay, b.settle)
	}
}

// Load returns a player's answers in unfinished matches. The answers in one attempt at a match are in the order of
// writing.
func (b *AnswerBook) Load(player string) (answers []json.RawMessage, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err = b.read()
	return of(b.open, player), err
}

// LoadAnswers returns a player's answers in unfinished matches, from its own book and from the shared one. It does
// not lock the files, which other processes may hold.
func LoadAnswers(r *Root, league, player string) (answers []json.RawMessage, err error) {
	for _, whose := range []string{player, ""} {
		name, bad := answersFile(r, league, whose)
		if bad != nil {
			return nil, bad
		}
		r.bookMu.Lock()
		b := r.books[name]
		r.bookMu.Unlock()
		if b == nil {
			b = &AnswerBook{root: r, name: name}
		}
		found, bad := b.Load(player)
		answers, err = append(answers, found...), errors.Join(err, bad)
	}
	return answers, err
}

// forget deletes from open a player's answers in the attempts at a match up to that of upTo, at most 64 attempts back.
// It reports whether there were any.
func forget(open map[answered][]json.RawMessage, upTo answered) (any bool) {
	const most = 64
	for n := 0; n < most && upTo.Attempt > 0; n++ {
		_, there := open[upTo]
		delete(open, upTo)
		any = any || there
		upTo.Attempt--
	}
	return any
}

// of returns copies of one player's answers from a shared book.
func of(open map[answered][]json.RawMessage, player string) (out []json.RawMessage) {
	for about, answers := range open {
		if about.PlayerID == player {
			out = append(out, slices.Clone(answers)...)
		}
	}
	return out
}

// settle writes and syncs the pending lines, and compacts a book above maxAnswers. A failed write can lose only
// marks of Over. A failed sync is returned by the next Keep.
func (b *AnswerBook) settle() {
	b.mu.Lock()
	b.due = false
	err := b.flush()
	if err == nil && b.size > maxAnswers && b.file != nil {
		_ = b.compact() // the next settle retries it
	}
	f := b.file
	b.mu.Unlock()
	if f == nil {
		return
	}
	// A file that was closed concurrently has been rewritten and synced.
	if err := f.Sync(); err != nil && !errors.Is(err, fs.ErrClosed) {
		b.mu.Lock()
		b.letGo()
		b.failed = err
		b.mu.Unlock()
	}
}

// flush writes the pending lines.
func (b *AnswerBook) flush() error {
	if len(b.unsaid) == 0 {
		return nil
	}
	err := b.begin()
	if err == nil {
		var n int
		n, err = b.file.Write(b.unsaid)
		b.size += int64(n)
	}
	b.unsaid = b.unsaid[:0]
	if err != nil {
		b.letGo()
	}
	return err
}

// begin opens the file for appending. It terminates a torn last line with a mark that makes it invalid.
func (b *AnswerBook) begin() error {
	if b.file != nil {
		return nil
	}
	path := b.root.path(b.name)
	was, missing := os.ReadFile(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if missing != nil {
		err = syncFolder(filepath.Dir(path))
	} else if len(was) > 0 && was[len(was)-1] != '\n' {
		_, err = f.Write([]byte(tornEnd))
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	b.file, b.size = f, int64(len(was))
	return nil
}

// letGo closes the file after a failure, so that the next use reads it again.
func (b *AnswerBook) letGo() {
	if b.file != nil {
		_ = b.file.Close()
	}
	b.file, b.open = nil, nil
}

// compact rewrites the book without the answers that are no longer needed. It does nothing if the needed answers take
// more than half of maxAnswers.
func (b *AnswerBook) compact() error {
	var text []byte
	for _, answers := range b.open {
		for _, a := range answers {
			text = append(append(text, a...), '\n')
		}
	}
	if len(text) > maxAnswers/2 {
		return nil
	}
	if err := replace(b.root.path(b.name), text, 0o600); err != nil {
		return err
	}
	_ = b.file.Close()
	b.file = nil
	return b.begin()
}

// read loads the book on first use.
func (b *AnswerBook) read() error {
	if b.open != nil {
		return nil
	}
	text, err := os.ReadFile(b.root.path(b.name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	open, n := map[answered][]json.RawMessage{}, 0
	for line := range bytes.Lines(text) {
		n++
		var l answerLine
		switch err := json.Unmarshal(line, &l); {
		case isUnwritten(line):
		case err != nil:
			return fmt.Errorf("%s:%d: damaged: %w; remove the line", b.name, n, err)
		case l.Over:
			forget(open, l.answered)
		default:
			open[l.answered] = append(open[l.answered], bytes.TrimSpace(bytes.Clone(line)))
		}
	}
	b.open = open
	return nil
}
