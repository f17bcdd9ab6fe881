package host

import (
	"context"
	"errors"
	"sync/atomic"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/store"
)

// A playerSeason is a player in one league, from its registration until that is over for it.
type playerSeason struct {
	*agentEnv
	of      *Player
	player  *player.Agent
	memory  *store.Memory
	answers *store.Answers
	served  *answerer
	stop    context.CancelFunc // cancels its open answers
}

// playSeason puts a player behind its endpoint and registers it. It returns nil if that failed, with the error, or if
// it was stopped.
func (h *Env) playSeason(ctx context.Context, f *Player, manager string) (*playerSeason, error) {
	s, err := h.enterPlayer(ctx, f, manager)
	if err != nil {
		return nil, err
	}
	err = f.admitted(s.who.refused(s.player.Register(ctx, manager, s.listener.URL())))
	if err == nil {
		err = s.registered(protocol.RolePlayer, s.player.ID())
	}
	if err != nil {
		return nil, errors.Join(NotCancelled(err), s.leave())
	}
	return s, nil
}

// enterPlayer makes a player and puts it to its door.
func (h *Env) enterPlayer(ctx context.Context, f *Player, manager string) (*playerSeason, error) {
	started, err := h.Config().StartPlayer(f.ID)
	if err != nil {
		return nil, errors.Join(err, f.giveBack())
	}
	d, err := h.setUp(protocol.RolePlayer, &f.Agent)
	if err != nil {
		return nil, err
	}
	wire := d.options()
	s := &playerSeason{
		agentEnv: d, of: f, memory: store.NewMemory(h.Root, h.League.LeagueID, f.Name, wire.Logger),
		answers: store.NewAnswers(h.Root, h.League.LeagueID, f.Own || f.Shared != nil),
	}
	o, err := s.options(wire, started, manager)
	if err != nil {
		defer d.close()
		return nil, errors.Join(err, d.hangUp())
	}
	s.player = player.New(f.Name, f.Strategy, o)
	if f.Furnish != nil {
		f.Furnish(s.player.Node)
	}
	var life context.Context
	life, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.served = f.kept.admit(life, s.player.Node)
	return s, nil
}

// whenOver calls f once, on a new goroutine, when the player has to end, or, with the next league, when it continues
// there.
func (s *playerSeason) whenOver(ctx context.Context, f func(next string)) {
	var over atomic.Bool
	leave := func(next string) {
		if over.CompareAndSwap(false, true) {
			f(next)
		}
	}
	stays := context.AfterFunc(ctx, func() { leave("") })
	s.player.AfterDone(func() {
		if next := s.of.goesOn(s.player.Next()); next != "" || !s.of.Stay {
			stays()
			leave(next)
		}
	})
}

// end lets a stopped player finish its open work, and removes it from its endpoint.
func (s *playerSeason) end(ctx context.Context, next string) error {
	if next == "" {
		s.of.left(ctx, s.player.Drain)
	}
	return s.leave()
}

// leaving holds a value for each player that writes its files at the end of a season. More at a time would take memory,
// and as long.
var leaving = make(chan struct{}, 16)

// leave removes a player from its endpoint and releases its locks and files.
func (s *playerSeason) leave() error {
	defer s.close()
	s.stop()
	err := s.of.kept.dismiss(s.served)
	leaving <- struct{}{}
	defer func() { <-leaving }()
	s.memory.Close() // after the last result that can have come
	return errors.Join(err, s.answers.Close())
}
