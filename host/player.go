package host

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"agentleague/config"
	"agentleague/player"
	"agentleague/rpc"
)

// A Player is the configuration of a player.
type Player struct {
	Agent
	Strategy   player.Strategy
	Plays      []string                        // the games that the strategy can play; empty: all
	Stay       bool                            // do not end with the league
	Unsigned   bool                            // show no key and sign nothing
	Furnish    func(n *rpc.Node)               // adds handlers; may be nil
	Joined     []player.Joined                 // its matches when it was stopped
	KeepJoined func(now []player.Joined) error // is called with its current matches; may be nil
}

// RunPlayer serves a player and registers it. ready is called after the registration in every season. RunPlayer returns
// after ctx has ended and open matches are finished or, unless the player stays, after the last season. It closes a
// strategy that implements io.Closer.
func (h *Env) RunPlayer(ctx context.Context, f Player, manager string, ready func(id, at string)) error {
	ended := make(chan error, 1)
	h.StartPlayer(ctx, f, manager, ready, func(err error) { ended <- err })
	return <-ended
}

// StartPlayer is RunPlayer without a goroutine for an idle player. It returns when the player has registered for its
// first season or has failed to, and calls ended exactly once, when the player has ended.
func (h *Env) StartPlayer(ctx context.Context, f Player, manager string, ready func(id, at string), ended func(error)) {
	f.kept = &keptListener{}
	h.play(ctx, &f, manager, ready, ended)
}

// play runs one season of a player. When the season is over, it starts the next one or calls ended.
func (h *Env) play(ctx context.Context, f *Player, manager string, ready func(id, at string), ended func(error)) {
	leave := func(err error) { ended(errors.Join(err, f.kept.shut(), CloseStrategy(f.Strategy))) }
	s, err := h.playSeason(ctx, f, manager)
	if s == nil {
		leave(err)
		return
	}
	ready(s.player.ID(), s.endpoint(manager))
	s.whenOver(ctx, func(next string) {
		if err := s.end(ctx, next); err != nil || next == "" {
			leave(err)
			return
		}
		further := *f // late requests of the season before still read f
		further.Agent = f.after(next, s.player.ID())
		h.Of(h.League.After(next)).play(ctx, &further, manager, ready, ended)
	})
}

// options returns the options of the season's player, with its identity and its storage.
func (s *playerSeason) options(wire rpc.Options, started config.Started, manager string) (o player.Options, err error) {
	f := s.of
	o = player.Options{
		Options: wire, ID: f.ID, OnlyID: f.OnlyID, LeagueID: f.LeagueID, Version: cmp.Or(started.Version, Version()),
		GameTypes: f.able(f.plays(started.GameTypes)), Declines: started.Declines, MaxHistory: started.MaxHistory,
		Rules: Rules, Recall: s.memory.Recall, Remember: s.memory.Remember,
		Joined: f.Joined, KeepJoined: f.KeepJoined, Identity: s.who.at(manager, f.Own), KeepIdentity: s.who.keep,
		Unsigned:   f.Unsigned,
		KeepAnswer: s.answers.Keep, DropAnswers: s.answers.Drop, KeepWitness: s.memory.Witness,
	}
	o.JoinKey = f.JoinKey
	places := o.Identity.Memberships
	if len(places) == 0 {
		return o, nil
	}
	id := places[len(places)-1].ID
	if o.Answers, err = s.answers.Load(id); err != nil {
		return o, err
	}
	o.Witness, err = s.memory.Heard(id)
	return o, err
}

// able returns those of the games that the strategy can play. If there are none, it returns the games of the strategy,
// so that the manager refuses the registration with a clear reason.
func (f Player) able(games []string) []string {
	if len(f.Plays) == 0 {
		return games
	}
	both := slices.DeleteFunc(slices.Clone(games), func(g string) bool { return !slices.Contains(f.Plays, g) })
	if len(both) == 0 {
		return f.Plays
	}
	return both
}
