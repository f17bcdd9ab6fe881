// Package seat is players that are played from outside: by a person at a page,
// or by a model or a person in an MCP host. A seat is a [player.Seat] with a key,
// a name and a place to be kept, and the tools with which it is played.
//
//	referee ─▶ player.Agent ─▶ player.Seat ─▶ turn ─▶ wait_for_turn, or the page
//	                               ▲                        │
//	                               └──── make_move ◀────────┘  or the fallback when time is up
//
// Whoever has the key plays, from any client; two clients with the same key
// share the seat. A seat that is lost with its process is found again by its
// key, with the match that it was in.
package seat

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"agentleague/files"
	"agentleague/player"
)

// reserve is how long before a choice is due the fallback makes it.
const reserve = 2 * time.Second

// KeyPrefix is how the key of every seat begins.
const KeyPrefix = "seat_"

// A Seat is a player that is played from outside. Whoever has its key plays.
type Seat struct {
	Key      string // secret
	Name     string
	League   string
	Fallback string       // the strategy that chooses when nobody does
	Player   *player.Seat // the strategy of its player

	Rules func(gameType string) string           // the rules of a game in a paragraph, or ""; nil: none are known
	About func(player, opponent string) Opponent // what the league tells a player of another; nil: nothing

	store  files.SeatRepository
	failed context.Context // ends when its player has failed, with the cause
	fail   context.CancelCauseFunc

	mu   sync.Mutex
	id   string // that the manager granted
	end  func() // ends its player
	told uint64 // up to which change its owner has been told
	gone bool   // it was given up

	keeping sync.Mutex
	Saved   files.Seat
}

// NewSaved is a new seat as it is kept.
func NewSaved(name, fallback string) files.Seat {
	return files.Seat{Key: KeyPrefix + rand.Text(), DisplayName: name, Fallback: cmp.Or(fallback, "random")}
}

// New returns the seat that was saved, or is going to be. Fallback chooses when
// nobody does.
func New(saved files.Seat, store files.SeatRepository, leagueID string, fallback player.Strategy) *Seat {
	t := &Seat{
		Key: saved.Key, Name: saved.DisplayName, League: leagueID, Fallback: saved.Fallback, id: saved.PlayerID,
		Saved: saved, store: store,
	}
	t.Player = player.NewSeat(fallback, reserve)
	t.failed, t.fail = context.WithCancelCause(context.Background())
	return t
}

// Keep writes the seat down for the next start, with a change.
func (t *Seat) Keep(change func(s *files.Seat)) error {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	change(&t.Saved)
	return t.store.Save(t.Saved)
}

// Joined is what the player of the seat was in when it was ended. Without it
// the player goes on with the next match.
func (t *Seat) Joined() (was []player.Joined) {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	_ = json.Unmarshal(t.Saved.Joined, &was)
	return was
}

// KeepJoined keeps what the player of the seat is in.
func (t *Seat) KeepJoined(now []player.Joined) error {
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return t.Keep(func(s *files.Seat) { s.Joined = text })
}

// Suffix tells the identity of the seat from those of others of the same name: who
// takes a seat under a name that was there before is another player.
func (t *Seat) Suffix() string {
	sum := sha256.Sum256([]byte(t.Key))
	return hex.EncodeToString(sum[:4])
}

// PlayerID returns the id that the manager granted, or "" before that.
func (t *Seat) PlayerID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id
}

// Registered notes the id that the manager granted, for the next start too.
func (t *Seat) Registered(id string) error {
	t.mu.Lock()
	t.id = id
	t.mu.Unlock()
	return t.Keep(func(s *files.Seat) { s.PlayerID = id })
}

// Fail notes why the player of the seat has ended.
func (t *Seat) Fail(err error) { t.fail(err) }

// Remove forgets what is kept of the seat.
func (t *Seat) Remove() error { return t.store.Remove(t.Key) }

// Trouble returns why the player of the seat has ended, or nil.
func (t *Seat) Trouble() error { return context.Cause(t.failed) }

// Ends notes how the player of the seat is ended.
func (t *Seat) Ends(stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = stop
}

// GiveUp ends the player of the seat for good.
func (t *Seat) GiveUp() {
	t.mu.Lock()
	t.gone = true
	t.mu.Unlock()
	t.Stop()
}

// GivenUp reports whether the seat's player does not come back.
func (t *Seat) GivenUp() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone
}

// Stop ends the player of the seat.
func (t *Seat) Stop() {
	t.mu.Lock()
	end := t.end
	t.mu.Unlock()
	if end != nil {
		end()
	}
}

// wait waits until there is something to tell the owner of the seat, no longer than ctx: a turn
// or an event that it has not been told of, or the end of the league.
func (t *Seat) wait(ctx context.Context) (player.Update, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(t.failed, func() { cancel(t.Trouble()) })()
	u := t.look()
	var err error
	for err == nil && len(u.Turns) == 0 && len(u.Events) == 0 && u.Final == nil {
		u, err = t.Player.Wait(ctx, u.Seq)
	}
	return u, err
}

// look returns what there is, with the events that the owner has not been told of.
func (t *Seat) look() player.Update {
	t.mu.Lock()
	told := t.told
	t.mu.Unlock()
	return t.Player.Look(told)
}

// tell reports to the owner of the seat. What it reports counts as told.
func (t *Seat) tell(u player.Update) Report {
	t.mu.Lock()
	t.told = max(t.told, u.Seq)
	t.mu.Unlock()
	return t.report(u, time.Now())
}
