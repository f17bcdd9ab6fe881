// Package seat hosts players that are controlled from outside: by a person on a
// page, or by a model or a person in an MCP host. A seat is a [player.Seat] with
// a key, a name, storage, and MCP tools to control it.
//
//	referee ─▶ player.Agent ─▶ player.Seat ─▶ turn ─▶ wait_for_turn, or the page
//	                               ▲                        │
//	                               └──── make_move ◀────────┘  or the fallback when time is up
//
// The key authorizes any client; two clients with the same key share the seat.
// After a restart of the process the key finds the seat and its match again.
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

	"agentleague/player"
	"agentleague/store"
)

// fallbackReserve is the time before the deadline at which the fallback chooses.
const fallbackReserve = 2 * time.Second

// KeyPrefix is how the key of every seat begins.
const KeyPrefix = "seat_"

// A Seat is a player that is controlled from outside, by any client with its key.
type Seat struct {
	Key      string // secret
	Name     string
	League   string
	Fallback string       // the strategy that chooses after a timeout
	Player   *player.Seat // the strategy of its player

	Rules func(gameType string) string           // the rules of a game in a paragraph, or ""; nil: unknown
	About func(player, opponent string) Opponent // the league's information about an opponent; may be nil

	store  store.SeatRepository
	failed context.Context // ends when its player has failed, with the cause
	fail   context.CancelCauseFunc

	mu   sync.Mutex
	id   string // that the manager granted
	end  func() // ends its player
	told uint64 // the last change that was reported to its owner
	gone bool   // it was given up

	waits string // why its player is not registered yet

	keeping sync.Mutex
	Saved   store.Seat
}

// NewSaved is a new seat as it is kept.
func NewSaved(name, fallback string) store.Seat {
	return store.Seat{Key: KeyPrefix + rand.Text(), DisplayName: name, Fallback: cmp.Or(fallback, "random")}
}

// New returns the stored seat, or a new one. Fallback chooses after a timeout.
func New(saved store.Seat, store store.SeatRepository, leagueID string, fallback player.Strategy) *Seat {
	t := &Seat{
		Key: saved.Key, Name: saved.DisplayName, League: leagueID, Fallback: saved.Fallback, id: saved.PlayerID,
		Saved: saved, store: store,
	}
	t.Player = player.NewSeat(fallback, fallbackReserve)
	t.failed, t.fail = context.WithCancelCause(context.Background())
	return t
}

// Keep writes the seat down for the next start, with a change.
func (t *Seat) Keep(change func(s *store.Seat)) error {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	change(&t.Saved)
	return t.store.Save(t.Saved)
}

// Joined is the state of the seat's matches when it was stopped. Without it the player continues with the next match.
func (t *Seat) Joined() (was []player.Joined) {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	_ = json.Unmarshal(t.Saved.Joined, &was)
	return was
}

// KeepJoined stores the state of the seat's matches.
func (t *Seat) KeepJoined(now []player.Joined) error {
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return t.Keep(func(s *store.Seat) { s.Joined = text })
}

// Suffix returns a hash of the seat's key, which distinguishes its identity from those of seats with the same name. A
// new seat under an old name is therefore a new player.
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
	return t.Keep(func(s *store.Seat) { s.PlayerID = id })
}

// Waits notes why the player of the seat is not registered yet.
func (t *Seat) Waits(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waits = err.Error()
}

// waitsFor returns why the player of the seat is not registered yet, or "".
func (t *Seat) waitsFor() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.waits
}

// Fail notes why the player of the seat has ended.
func (t *Seat) Fail(err error) { t.fail(err) }

// Remove deletes the stored data of the seat.
func (t *Seat) Remove() error { return t.store.Remove(t.Key) }

// Trouble returns why the player of the seat has ended, or nil.
func (t *Seat) Trouble() error { return context.Cause(t.failed) }

// Ends stores the function that stops the seat's player.
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

// GivenUp reports whether the seat was given up for good.
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

// wait waits until there is news for the owner of the seat, or until ctx ends: a new turn or event, or the end of the
// league.
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

// look returns the current state, with the events that were not reported yet.
func (t *Seat) look() player.Update {
	t.mu.Lock()
	told := t.told
	t.mu.Unlock()
	return t.Player.Look(told)
}

// tell returns a report to the owner of the seat and marks its events as reported.
func (t *Seat) tell(u player.Update) Report {
	t.mu.Lock()
	t.told = max(t.told, u.Seq)
	t.mu.Unlock()
	return t.report(u, time.Now())
}
