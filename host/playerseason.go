package host

import (
	"context"
	"errors"
	"sync/atomic"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/store"
)

// A playerSeason is a player in one league, from its registration to the end of the league.
type playerSeason struct {
	*agentEnv
	of      *Player
	player  *player.Agent
	memory  *store.Memory
	answers *store.Answers
	served  *answerer
	stop    context.CancelFunc // cancels its open answers
}

// playSeason serves a player and registers it. It returns nil with the error if that failed, and nil, nil if ctx ended.
func (h *Env) playSeason(ctx context.Context, f *Player, manager string) (*playerSeason, error) {
	s, err := h.enterPlayer(ctx, f, manager)
	if err != nil {
		return nil, err
	}
	err = f.admitted(s.who.refused(s.player.Register(ctx, manager, s.endpoint(manager))))
	if err == nil {
		err = s.registered(protocol.RolePlayer, s.player.ID())
	}
	if err != nil {
		return nil, errors.Join(NotCancelled(err), s.leave())
	}
	return s, nil
}

// enterPlayer creates a player and serves it at its endpoint.
func (h *Env) enterPlayer(ctx context.Context, f *Player, manager string) (*playerSeason, error) {
	started, err := h.Config().StartPlayer(f.ID)
	if err != nil {
		return nil, errors.Join(err, f.giveBack())
	}
	d, err := h.setUp(protocol.RolePlayer, &f.Agent)
	if err != nil {
		return nil, err
	}
	wire, mailbox := d.viaMailbox(d.options())
	s := &playerSeason{
		agentEnv: d, of: f, memory: store.NewMemory(h.Root, h.League.LeagueID, f.Name, wire.Logger),
		answers: store.NewAnswers(h.Root, h.League.LeagueID, f.Own || f.Shared != nil),
	}
	o, err := s.options(wire, started, manager)
	if err != nil {
		defer d.close()
		return nil, errors.Join(err, d.closeListener())
	}
	o.Mailbox = mailbox
	s.player = player.New(f.Name, f.Strategy, o)
	if f.Furnish != nil {
		f.Furnish(s.player.Node)
	}
	var life context.Context
	life, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.served = f.kept.admit(life, s.player.Node)
	return s, nil
}

// whenOver calls f once, on a new goroutine, when ctx ends or the league is over. next is the league in which the
// player continues, or "" if it must end. A player that stays and has no next league continues until ctx ends.
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

// end removes the player from its endpoint. Unless it continues in a next league, it first finishes its open work.
func (s *playerSeason) end(ctx context.Context, next string) error {
	if next == "" {
		s.of.left(ctx, s.player.Drain)
	}
	return s.leave()
}

// leaving is a semaphore that limits the players which write their files at the end of a season. More would use more
// memory and not be faster.
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
