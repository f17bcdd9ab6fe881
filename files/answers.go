package files

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

// maxAnswers is how long a book of answers may be, in bytes, before it is written anew without what is over.
const maxAnswers = 256 << 10

// An AnswerBook is what players have signed in matches that are not over: one file that is only appended to and that
// nobody else may read, since an answer tells a choice before both are known. A line is an answer, or says that the
// matches up to an attempt are over:
//
//	{"player_id":"P01","match_id":"R1M1","attempt":1, … what the player writes}
//	{"player_id":"P01","match_id":"R1M1","attempt":1,"over":true}
//
// A player that is killed finds all that it has kept. Whoever loses the machine's power may lose the last second of it,
// and with it no more than a match in hand: to sync each answer by itself would cost a match a fifth of its time.
type AnswerBook struct {
	root  *Root
	name  string // relative to the root
	lock  *flock.Flock
	users int // guarded by the root

	mu     sync.Mutex
	unsaid []byte   // lines that are not written yet
	due    bool     // they will be, and synced
	failed error    // the last sync, and nobody has been told
	file   *os.File // nil: not open
	size   int64
	open   map[answered][]json.RawMessage // by attempt at a match; nil: not read yet
}

// syncAnswers is how long what is kept may wait to be on disk.
const syncAnswers = time.Second

// An answered is what a line of a book is about.
type answered struct {
	PlayerID string `json:"player_id"`
	MatchID  string `json:"match_id"`
	Attempt  int    `json:"attempt"`
}

// An answerLine is what the book itself reads of a line.
type answerLine struct {
	answered
	Over bool `json:"over,omitempty"`
}

// ErrBookTaken says that another process writes a book.
var ErrBookTaken = errors.New("another process uses this file")

// OpenAnswers opens data/players/…/<id>/answers.jsonl, the book of one player, or, for no player,
// data/players/…/answers.jsonl, which all players of one process share. It is to be closed as often as it is opened.
func (r *Root) OpenAnswers(league, player string) (*AnswerBook, error) {
	name, err := r.answersFile(league, player)
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
	if err := b.take(); err != nil {
		return nil, err
	}
	if r.books == nil {
		r.books = map[string]*AnswerBook{}
	}
	r.books[name] = b
	return b, nil
}

// answersFile is where the answers of a player are kept, or those of all hosted players of a league, which share a
// file.
func (r *Root) answersFile(league, player string) (string, error) {
	if player != "" {
		folder, err := r.inLeague(league, player)
		return "data/players/" + folder + "/answers.jsonl", err
	}
	folder, err := r.inLeague(league, "answers.jsonl") // an id that no player has
	return "data/players/" + folder, err
}

// take locks the book: two processes that played as the same player would sign two different pasts. The lock ends
// with the process.
func (b *AnswerBook) take() error {
	path := b.root.path(b.name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return b.root.told(err)
	}
	b.lock = flock.New(path+".lock", flock.SetPermissions(0o600))
	switch taken, err := b.lock.TryLock(); {
	case err != nil:
		return b.root.told(err)
	case !taken:
		return fmt.Errorf("%s: %w", b.name, ErrBookTaken)
	}
	return nil
}

// Close gives the book back.
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

// Keep returns once a player's answer in an attempt at a match is written: no end of the process loses it then.
func (b *AnswerBook) Keep(player, match string, attempt int, answer json.RawMessage) error {
	about := answered{player, match, attempt}
	b.mu.Lock()
	defer b.mu.Unlock()
	err := errors.Join(b.failed, b.read())
	b.failed = nil
	if err == nil {
		b.open[about] = append(b.open[about], answer)
		b.say(answer)
		err = b.flush()
	}
	if err != nil {
		return fmt.Errorf("the answer cannot be saved: %w", b.root.told(err))
	}
	return nil
}

// Over notes that a player's answers in a match, up to an attempt, are not needed any more. It waits for nobody.
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
		b.soon()
	}
}

// say has a line written by the next flush, and on disk soon after. The caller holds the lock.
func (b *AnswerBook) say(line []byte) {
	b.unsaid = append(append(b.unsaid, line...), '\n')
	b.soon()
}

// soon has what was said on disk in a while. The caller holds the lock.
func (b *AnswerBook) soon() {
	if !b.due {
		b.due = true
		time.AfterFunc(syncAnswers, b.settle)
	}
}

// Load returns a player's answers in matches that are not over, those of one match in their order.
func (b *AnswerBook) Load(player string) (answers []json.RawMessage, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err = b.read()
	return of(b.open, player), err
}

// LoadAnswers returns what a player has answered in matches that are not over, from its own book and from the one that
// it shared. It takes neither.
func (r *Root) LoadAnswers(league, player string) (answers []json.RawMessage, err error) {
	for _, whose := range []string{player, ""} {
		name, bad := r.answersFile(league, whose)
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

// forget drops the answers of a player in a match, up to an attempt, and reports whether there were any. Of a match
// that was tried very often it forgets the newest attempts.
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

// of are the answers of one player among those of all that share a book. They are copies.
func of(open map[answered][]json.RawMessage, player string) (out []json.RawMessage) {
	for about, answers := range open {
		if about.PlayerID == player {
			out = append(out, slices.Clone(answers)...)
		}
	}
	return out
}

// settle has what was said lately on disk, and makes the book short. What it cannot write is only that something is
// over; if what is written cannot be synced, whoever keeps the next answer learns of it.
func (b *AnswerBook) settle() {
	b.mu.Lock()
	b.due = false
	err := b.flush()
	if err == nil && b.size > maxAnswers && b.file != nil {
		_ = b.shorten() // it is tried again
	}
	f := b.file
	b.mu.Unlock()
	if f == nil {
		return
	}
	// A file that is closed was written anew meanwhile, and synced then.
	if err := f.Sync(); err != nil && !errors.Is(err, fs.ErrClosed) {
		b.mu.Lock()
		b.letGo()
		b.failed = err
		b.mu.Unlock()
	}
}

// flush writes what was said.
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

// begin opens the file for appending. What an interrupted write has left at its end is a line of its own.
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

// letGo closes the file after a failure. What it says is read again.
func (b *AnswerBook) letGo() {
	if b.file != nil {
		_ = b.file.Close()
	}
	b.file, b.open = nil, nil
}

// shorten writes the book anew without what is over.
func (b *AnswerBook) shorten() error {
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

// read finds out what is in the book, once.
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
		case unwritten(line):
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
