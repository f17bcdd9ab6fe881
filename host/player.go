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

// A Player is what a player is started with.
type Player struct {
	Agent
	Strategy   player.Strategy
	Plays      []string                        // the games that the strategy can play; empty: all
	Stay       bool                            // do not end with the league
	Unsigned   bool                            // show no key and sign nothing
	Furnish    func(n *rpc.Node)               // adds to what it answers; nil: nothing
	Joined     []player.Joined                 // what it was in when it was ended
	KeepJoined func(now []player.Joined) error // told of what it is in; nil: nobody keeps that
}

// RunPlayer serves a player and registers it; ready is called when that is
// done, in every season. It ends with ctx, after what it has in hand, and, unless it is to stay,
// with the last season. Its strategy is closed then, if it can be.
func (h *Env) RunPlayer(ctx context.Context, f Player, manager string, ready func(id, at string)) error {
	ended := make(chan error, 1)
	h.StartPlayer(ctx, f, manager, ready, func(err error) { ended <- err })
	return <-ended
}

// StartPlayer is RunPlayer for one of many: it returns when the player has registered for its first season, or has
// failed to, and calls ended once, when the player has ended. A player that is idle has no goroutine.
func (h *Env) StartPlayer(ctx context.Context, f Player, manager string, ready func(id, at string), ended func(error)) {
	f.kept = &keptDoor{}
	h.play(ctx, &f, manager, ready, ended)
}

// play begins a season of a player, and has the next one follow it.
func (h *Env) play(ctx context.Context, f *Player, manager string, ready func(id, at string), ended func(error)) {
	leave := func(err error) { ended(errors.Join(err, f.kept.shut(), CloseStrategy(f.Strategy))) }
	s, err := h.playSeason(ctx, f, manager)
	if s == nil {
		leave(err)
		return
	}
	ready(s.player.ID(), s.door.URL())
	s.whenOver(ctx, func(next string) {
		if err := s.end(ctx, next); err != nil || next == "" {
			leave(err)
			return
		}
		further := *f // what is left of the season before still looks at f
		further.Agent = f.after(next, s.player.ID())
		h.Of(h.League.After(next)).play(ctx, &further, manager, ready, ended)
	})
}

// options are what a player is made with: who it is, and where it keeps what it has to.
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

// able returns those of some games that the strategy can play. Where that is none
// the agent registers for what its strategy plays, and the manager refuses it.
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
