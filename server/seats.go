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

	"agentleague/files"
	"agentleague/host"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/seat"
)

// MaxSeats is how many seats one process hosts.
const MaxSeats = 64

// maxSeatName is how long a name in the table is, in characters.
const maxSeatName = 64

// seats are places of one manager's process that minds from outside play from:
// people at the page, models and people in MCP hosts. Each is a player of its own
// under a path on the manager's port, and is there again when the manager is.
type seats struct {
	life  context.Context // of the players
	group sync.WaitGroup

	mu      sync.Mutex
	leagues map[string]*League    // by their ids
	main    string                // the league that is meant when none is named
	taken   map[string]*seat.Seat // by key
}

func newSeats(life context.Context) *seats {
	return &seats{life: life, leagues: map[string]*League{}, taken: map[string]*seat.Seat{}}
}

// open lets seats be taken in a league, and puts those back that were taken in
// it before. The first league is the one that is meant when none is named.
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
		t, err := NewSeat(was, h.Seats(id), id)
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

// Take registers a player that is played from outside. No league means the
// first, no fallback the random one. It returns once the manager has granted an id.
func (s *seats) Take(ctx context.Context, leagueID, name, fallback string) (*seat.Seat, error) {
	at, err := s.leagueOf(leagueID)
	if err != nil {
		return nil, err
	}
	switch name = strings.TrimSpace(name); {
	case name == "":
		return nil, errors.New("a seat needs a name to show in the table; give one")
	case utf8.RuneCountInString(name) > maxSeatName:
		return nil, fmt.Errorf("a name has at most %d characters; give a shorter one", maxSeatName)
	case at.closed():
		return nil, errors.New("registration is closed: the league has started; take a seat in the next one")
	}
	saved := seat.NewSaved(name, fallback)
	saved.Room = "/s/" + strings.ToLower(rand.Text())
	t, err := NewSeat(saved, at.Env.Seats(at.opts.LeagueID), at.opts.LeagueID)
	if err != nil {
		return nil, err
	}
	if err := s.add(t); err != nil {
		return nil, err
	}
	if err := t.Keep(func(*files.Seat) {}); err != nil {
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

// Find returns the seat that a key is for.
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

// Leave gives a seat up. Before the league has started its player is taken out
// of it; afterwards the fallback plays on, and who comes back with the key plays again.
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

// leagueOf returns the league of that id.
func (s *seats) leagueOf(id string) (*League, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.leagues[cmp.Or(id, s.main)]; at != nil {
		return at, nil
	}
	return nil, fmt.Errorf("there is no league %q here; leave the league out to play in %s", protocol.Plain(id), s.main)
}

// add finds room for a seat. Those whose league is over make room.
func (s *seats) add(t *seat.Seat) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, old := range s.taken {
		if len(s.taken) >= MaxSeats && s.leagues[old.League].over() {
			old.Stop()
			delete(s.taken, key)
		}
	}
	if len(s.taken) >= MaxSeats {
		return fmt.Errorf("all %d seats are taken; join with an agent of your own, such as `league seat` or `league player`",
			MaxSeats)
	}
	s.taken[t.Key] = t
	return nil
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

// host runs the player of a seat until the seat is given up or the manager ends.
// The channel is closed when the player has its id, or does not get one.
func (s *seats) host(at *League, t *seat.Seat) <-chan struct{} {
	settled := make(chan struct{})
	settle := sync.OnceFunc(func() { close(settled) })
	ctx, stop := context.WithCancel(s.life)
	t.Ends(stop)
	s.group.Go(func() {
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
			if t.PlayerID() == "" { // whoever asked for it is told
				level = slog.LevelInfo
			}
			at.Manager.Node.Logger.Log(ctx, level, "the player of a seat has ended", slog.String("player_id", t.PlayerID()),
				slog.Any("error", err))
		}
		if t.GivenUp() { // whoever gave it up could not: it was in use
			_ = at.Env.ForgetIdentity(protocol.RolePlayer, t.Name, t.Suffix())
		}
	})
	return settled
}

// wait returns when all players have ended after their life has.
func (s *seats) wait() { s.group.Wait() }

// closed reports whether nobody new can join.
func (l *League) closed() (started bool) {
	l.Manager.Read(func(s *league.State) { started = s.Started() || s.Completed() })
	return started
}

// final is what the players were told at the end of the league, or nil before that.
func (l *League) final() (out *protocol.LeagueCompleted) {
	l.Manager.Read(func(s *league.State) {
		if !s.Completed() {
			return
		}
		now := s.Snapshot()
		out = &protocol.LeagueCompleted{
			TotalRounds: now.TotalRounds, TotalMatches: now.TotalMatches, FinalStandings: now.Standings,
		}
		if len(now.Standings) > 0 {
			first := now.Standings[0]
			out.Champion = protocol.Champion{PlayerID: first.PlayerID, DisplayName: first.DisplayName, Points: first.Points}
		}
	})
	return out
}

// A seating of one league: who names none means it.
type seatsIn struct {
	*seats
	league string
}

func (s seatsIn) Take(ctx context.Context, leagueID, name, fallback string) (*seat.Seat, error) {
	return s.seats.Take(ctx, cmp.Or(leagueID, s.league), name, fallback)
}

// withdraw takes a player out of the league, as its admin would.
func (l *League) withdraw(ctx context.Context, id string) error {
	token, err := l.Env.AdminToken()
	if err != nil {
		return err
	}
	n := rpc.NewNode(string(protocol.RoleAdmin), l.Env.Net.Caller())
	_, err = n.Call(ctx, rpc.Peer{Endpoint: l.opts.Endpoint}, &protocol.Tool{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeWithdrawPlayer, ConversationID: "conv-leave-" + n.Nonce(4), AuthToken: token,
		}, PlayerID: id,
	})
	return err
}

// NewSeat returns the seat that was saved, or is going to be.
func NewSeat(saved files.Seat, store files.SeatRepository, leagueID string) (*seat.Seat, error) {
	mind, ok := host.Strategies[saved.Fallback]
	if !ok {
		return nil, fmt.Errorf("fallback: use one of %s, got %q", strings.Join(host.StrategyNames(), ", "), protocol.Plain(saved.Fallback))
	}
	return seat.New(saved, store, leagueID, mind()), nil
}

// SeatPlayer is what the player of a seat is started with. Whoever plays from it decides where it plays on.
func SeatPlayer(t *seat.Seat, f host.Agent) host.Player {
	f.OneSeason = true
	return host.Player{Agent: f, Strategy: t.Player, Stay: true, Joined: t.Joined(), KeepJoined: t.KeepJoined}
}
