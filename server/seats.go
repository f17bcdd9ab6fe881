package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"unicode/utf8"

	"agentleague/host"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/seat"
	"agentleague/store"
)

// maxSeatName limits the name of a seat's player, in characters.
const maxSeatName = 64

// seats holds the seats of one manager's process: players whose moves come from people at the page, and from models
// and people in MCP hosts. Each is a separate player with a path on the manager's port, and is restored when the
// manager restarts.
type seats struct {
	visit      func(id string) (*League, error) // opens a league
	perAddress int                              // seats of one address in one league
	group      sync.WaitGroup

	mu      sync.Mutex
	leagues map[string]*League    // the open leagues, by id
	main    string                // the default if a request names none
	taken   map[string]*seat.Seat // by key
}

// newSeats returns an empty set, with a limit per address and league. Visit opens a league; a seat lives as long as its
// league is open.
func newSeats(perAddress int, visit func(id string) (*League, error)) *seats {
	return &seats{visit: visit, perAddress: perAddress, leagues: map[string]*League{}, taken: map[string]*seat.Seat{}}
}

// open permits seats in a league, and restores its stored seats. The first league that is opened is the default for
// requests that name none.
func (s *seats) open(at *League) {
	h, m, id := at.Env, at.Manager, at.opts.LeagueID
	s.mu.Lock()
	s.leagues[id], s.main = at, cmp.Or(s.main, id)
	s.mu.Unlock()
	saved, err := h.Seats(id).All()
	if err != nil {
		m.Node.Logger.Error("some seats cannot be read; their players cannot come back", slog.Any("error", err))
	}
	for _, was := range saved {
		if was.Room == "" {
			continue // of another process
		}
		t, err := at.seat(was)
		if err == nil {
			err = s.add(t)
		}
		if err != nil {
			m.Node.Logger.Error("a seat cannot be restored", slog.String("player_id", was.PlayerID), slog.Any("error", err))
			continue
		}
		if final := at.final(); final != nil {
			t.Player.Hear(final)
			continue
		}
		s.host(at, t)
	}
}

// Take registers a player that is controlled from outside. It returns after the manager has granted an id.
func (s *seats) Take(ctx context.Context, w seat.Wish) (*seat.Seat, error) {
	at, err := s.leagueOf(w.League)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSpace(w.Name)
	switch {
	case name == "":
		return nil, errors.New("a seat needs a name to show in the table; give one")
	case utf8.RuneCountInString(name) > maxSeatName:
		return nil, fmt.Errorf("a name has at most %d characters; give a shorter one", maxSeatName)
	}
	if why := stateOf(at, at.Manager.Registrar.Closed); why != "" {
		return nil, fmt.Errorf("%s; take a seat in the next one", why)
	}
	saved := seat.NewSaved(name, w.Fallback)
	saved.Room, saved.Address = "/s/"+strings.ToLower(rand.Text()), rpc.AddressKey(w.From)
	t, err := at.seat(saved)
	if err != nil {
		return nil, err
	}
	if err := s.add(t); err != nil {
		return nil, err
	}
	if err := t.Keep(func(*store.Seat) {}); err != nil {
		s.forget(at, t)
		return nil, err
	}
	select {
	case <-s.host(at, t):
		err = t.Trouble()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		s.forget(at, t)
		return nil, fmt.Errorf("no seat for %q: %w", protocol.Plain(name), err)
	}
	return t, nil
}

// Find returns the seat with a key.
func (s *seats) Find(key string) (*seat.Seat, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.taken[key]; t != nil {
		return t, nil
	}
	if key == "" {
		return nil, errors.New("the key of your seat is missing; give the one that take_seat returned")
	}
	return nil,
		errors.New("no seat here has that key: it was given up, or belongs to another manager; take one with take_seat")
}

// Leave gives a seat up. Before the start of the league it withdraws the player, and gone is true. Afterwards the
// fallback strategy plays, and a client with the seat's key can take over again.
func (s *seats) Leave(ctx context.Context, t *seat.Seat) (gone bool, err error) {
	at, err := s.leagueOf(t.League)
	if err != nil {
		return false, err
	}
	if at.closed() {
		t.Player.Leave()
		return false, nil
	}
	if err := at.withdraw(ctx, t.PlayerID()); err != nil {
		return false, err
	}
	s.forget(at, t)
	return true, nil
}

// leagueOf returns the league with an id.
func (s *seats) leagueOf(id string) (*League, error) {
	s.mu.Lock()
	id = cmp.Or(id, s.main)
	at := s.leagues[id]
	s.mu.Unlock()
	if at != nil {
		return at, nil
	}
	if at, err := s.visit(id); err == nil {
		return at, nil
	}
	return nil, fmt.Errorf("there is no league %q here; leave the league out to play in %s", protocol.Plain(id), s.main)
}

// forget ends a seat for good.
func (s *seats) forget(at *League, t *seat.Seat) {
	s.mu.Lock()
	delete(s.taken, t.Key)
	s.mu.Unlock()
	t.GiveUp()
	if err := errors.Join(t.Remove(), at.Env.ForgetIdentity(protocol.RolePlayer, t.Name, t.Suffix())); err != nil {
		at.Manager.Node.Logger.Error("a seat that was given up cannot be removed", slog.Any("error", err))
	}
}

// host runs the player of a seat until the seat is given up or the manager ends. The returned channel is closed when
// the registration has succeeded or failed.
func (s *seats) host(at *League, t *seat.Seat) <-chan struct{} {
	settled := make(chan struct{})
	settle := sync.OnceFunc(func() { close(settled) })
	ctx, stop := context.WithCancel(at.life)
	t.Ends(stop)
	at.seated.Add(1)
	s.group.Go(func() {
		defer at.seated.Done()
		defer stop()
		defer settle()
		p := SeatPlayer(t, host.Agent{
			Shared: at.mux, Path: t.Saved.Room, Name: t.Name, ID: t.PlayerID(), LeagueID: t.League, Own: true,
			Suffix: t.Suffix(), Game: at.opts.Game.Type,
		})
		err := at.Env.RunPlayer(ctx, p, at.opts.Endpoint, func(id, _ string) {
			if err := t.Registered(id); err != nil {
				at.Manager.Node.Logger.Error("a seat cannot be saved; after a restart its player may not get its id back", slog.Any("error", err))
			}
			settle()
		})
		if err != nil {
			t.Fail(err)
			level := slog.LevelError
			if t.PlayerID() == "" { // the caller that took the seat gets the error
				level = slog.LevelInfo
			}
			at.Manager.Node.Logger.Log(ctx, level, "the player of a seat has ended", slog.String("player_id", t.PlayerID()),
				slog.Any("error", err))
		}
		if t.GivenUp() { // giving it up failed because the seat was in use
			_ = at.Env.ForgetIdentity(protocol.RolePlayer, t.Name, t.Suffix())
		}
	})
	return settled
}

// has reports whether any seat of the league is taken.
func (s *seats) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.taken {
		if t.League == id {
			return true
		}
	}
	return false
}

// close ends the seats of a canceled league and waits for their players. They are restored when the league is opened
// again.
func (s *seats) close(at *League) {
	s.mu.Lock()
	delete(s.leagues, at.ID())
	for key, t := range s.taken {
		if t.League == at.ID() {
			t.Stop()
			delete(s.taken, key)
		}
	}
	s.mu.Unlock()
	at.seated.Wait()
}

// wait waits until all players have ended. The caller must have canceled their leagues.
func (s *seats) wait() { s.group.Wait() }

// A seatsIn takes seats in its league unless the request names another.
type seatsIn struct {
	*seats
	league string
}

// Take implements seat.Seats.
func (s seatsIn) Take(ctx context.Context, w seat.Wish) (*seat.Seat, error) {
	w.League = cmp.Or(w.League, s.league)
	return s.seats.Take(ctx, w)
}

// NewSeat returns a saved or new seat. An empty gameType means that the game is unknown as yet.
func NewSeat(saved store.Seat, store store.SeatRepository, leagueID, gameType string) (*seat.Seat, error) {
	mind, err := host.BotFor(saved.Fallback, gameType)
	if err != nil {
		return nil, fmt.Errorf("fallback: %w", err)
	}
	t := seat.New(saved, store, leagueID, mind)
	t.Rules = host.Rules
	return t, nil
}

// SeatPlayer returns the configuration of a seat's player. It plays one season, after which its user decides.
func SeatPlayer(t *seat.Seat, f host.Agent) host.Player {
	f.OneSeason = true
	waiting := f.Waiting
	f.Waiting = func(err error) {
		t.Waits(err)
		if waiting != nil {
			waiting(err)
		}
	}
	return host.Player{Agent: f, Strategy: t.Player, Plays: host.GamesOf(t.Fallback), Stay: true, Joined: t.Joined(), KeepJoined: t.KeepJoined}
}
