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
	stop    context.CancelFunc // ends what it is answering
}

// playSeason puts a player to its door and registers it. Nil: it did not come to that, because of the error or because
// it was told to end.
func (h *Env) playSeason(ctx context.Context, f *Player, manager string) (*playerSeason, error) {
	s, err := h.enterPlayer(ctx, f, manager)
	if err != nil {
		return nil, err
	}
	err = f.admitted(s.who.refused(s.player.Register(ctx, manager, s.door.URL())))
	if err == nil {
		err = s.registered(s.player.ID())
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

// whenOver calls f once, on a goroutine of its own, when the player is to end, or, with the next league, when it plays
// on there.
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

// end lets a player finish what it has in hand, if it was told to end, and takes it from its door.
func (s *playerSeason) end(ctx context.Context, next string) error {
	if next == "" {
		s.of.left(ctx, s.player.Drain)
	}
	return s.leave()
}

// leave takes a player from its door and gives back what it holds.
func (s *playerSeason) leave() error {
	defer s.close()
	s.stop()
	err := s.of.kept.dismiss(s.served)
	s.memory.Close() // after the last result that can have come
	return errors.Join(err, s.answers.Close())
}
