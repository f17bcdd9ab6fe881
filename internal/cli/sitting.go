package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"agentleague/files"
	"agentleague/host"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
)

// seatReserve is how long before a choice is due the fallback makes it.
const seatReserve = 2 * time.Second

// seatKey is how the key of every seat begins.
const seatKey = "seat_"

// A seat is a player that is played from outside. Whoever has its key plays.
type seat struct {
	key      string // secret
	name     string
	league   string
	fallback string // the strategy that chooses when nobody does
	seat     *player.Seat
	store    files.SeatRepository

	failed context.Context // ends when its player has failed, with the cause
	fail   context.CancelCauseFunc

	mu   sync.Mutex
	id   string // that the manager granted
	end  func() // ends its player
	told uint64 // up to which change its owner has been told
	gone bool   // it was given up

	keeping sync.Mutex
	saved   files.Seat
}

// newSaved is a new seat as it is kept.
func newSaved(name, fallback string) files.Seat {
	return files.Seat{Key: seatKey + rand.Text(), DisplayName: name, Fallback: cmp.Or(fallback, "random")}
}

// newSeat returns the seat that was saved, or is going to be.
func newSeat(saved files.Seat, store files.SeatRepository, leagueID string) (*seat, error) {
	mind, ok := host.Strategies[saved.Fallback]
	if !ok {
		return nil, fmt.Errorf("the fallback plays when you do not; want one of %s, got %q", knownStrategies(), protocol.Plain(saved.Fallback))
	}
	t := &seat{key: saved.Key, name: saved.DisplayName, league: leagueID, fallback: saved.Fallback, id: saved.PlayerID, saved: saved, store: store}
	t.seat = player.NewSeat(mind(), seatReserve)
	t.failed, t.fail = context.WithCancelCause(context.Background())
	return t, nil
}

// keep writes the seat down for the next start, with a change.
func (t *seat) keep(change func(s *files.Seat)) error {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	change(&t.saved)
	return t.store.Save(t.saved)
}

// player is what the player of the seat is started with. What it has to come back to is kept with the seat.
func (t *seat) player(f host.Agent) host.Player {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	p := host.Player{Agent: f, Strategy: t.seat, Stay: true}
	_ = json.Unmarshal(t.saved.Joined, &p.Joined) // without it the player goes on with the next match
	p.KeepJoined = func(now []player.Joined) error {
		text, err := json.Marshal(now)
		if err != nil {
			return err
		}
		return t.keep(func(s *files.Seat) { s.Joined = text })
	}
	return p
}

// suffix tells the identity of the seat from those of others of the same name: who
// takes a seat under a name that was there before is another player.
func (t *seat) suffix() string {
	sum := sha256.Sum256([]byte(t.key))
	return hex.EncodeToString(sum[:4])
}

// playerID returns the id that the manager granted, or "" before that.
func (t *seat) playerID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id
}

// registered notes the id that the manager granted, for the next start too.
func (t *seat) registered(id string) error {
	t.mu.Lock()
	t.id = id
	t.mu.Unlock()
	return t.keep(func(s *files.Seat) { s.PlayerID = id })
}

// trouble returns why the player of the seat has ended, or nil.
func (t *seat) trouble() error { return context.Cause(t.failed) }

// ends notes how the player of the seat is ended.
func (t *seat) ends(stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = stop
}

// giveUp ends the player of the seat for good.
func (t *seat) giveUp() {
	t.mu.Lock()
	t.gone = true
	t.mu.Unlock()
	t.stop()
}

// givenUp reports whether the seat's player does not come back.
func (t *seat) givenUp() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone
}

func (t *seat) stop() {
	t.mu.Lock()
	end := t.end
	t.mu.Unlock()
	if end != nil {
		end()
	}
}

// wait waits until there is something to tell the owner of the seat, no longer than ctx: a turn
// or an event that it has not been told of, or the end of the league.
func (t *seat) wait(ctx context.Context) (player.Update, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(t.failed, func() { cancel(t.trouble()) })()
	u := t.look()
	var err error
	for err == nil && len(u.Turns) == 0 && len(u.Events) == 0 && u.Final == nil {
		u, err = t.seat.Wait(ctx, u.Seq)
	}
	return u, err
}

// look returns what there is, with the events that the owner has not been told of.
func (t *seat) look() player.Update {
	t.mu.Lock()
	told := t.told
	t.mu.Unlock()
	return t.seat.Look(told)
}

// tell reports to the owner of the seat. What it reports counts as told.
func (t *seat) tell(u player.Update) seatReport {
	t.mu.Lock()
	t.told = max(t.told, u.Seq)
	t.mu.Unlock()
	return t.report(u, time.Now())
}

// withdraw takes a player out of the league, as its admin would.
func (l *hall) withdraw(ctx context.Context, id string) error {
	token, err := l.house.AdminToken()
	if err != nil {
		return err
	}
	n := rpc.NewNode(string(protocol.RoleAdmin), l.house.Net.Caller())
	_, err = n.Call(ctx, rpc.Peer{Endpoint: l.opts.Endpoint}, &protocol.Tool{
		Envelope: protocol.Envelope{MessageType: protocol.TypeWithdrawPlayer, ConversationID: "conv-leave-" + n.Nonce(4), AuthToken: token}, PlayerID: id,
	})
	return err
}
