package host

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"agentleague/config"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/store"
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
func (h *Env) RunPlayer(ctx context.Context, f Player, manager string, ready func(id, at string)) (err error) {
	defer func() { err = errors.Join(err, CloseStrategy(f.Strategy)) }()
	return h.everySeason(f.Agent, func(h *Env, agent Agent) (next, id string, err error) {
		f.Agent = agent
		return h.playSeason(ctx, f, manager, ready)
	})
}

// playSeason is one season of a player.
func (h *Env) playSeason(ctx context.Context, f Player, manager string, ready func(id, at string)) (
	next, id string, err error) {
	started, err := h.Config().StartPlayer(f.ID)
	if err != nil {
		return "", "", errors.Join(err, f.giveBack())
	}
	d, err := h.setUp(protocol.RolePlayer, f.Agent)
	if err != nil {
		return "", "", err
	}
	defer d.close()
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	memory := store.NewMemory(h.Root, h.League.LeagueID, f.Name, d.options().Logger)
	answers := store.NewAnswers(h.Root, h.League.LeagueID, f.Own || f.Shared != nil)
	o, err := f.options(d, started, answers, memory, manager)
	if err != nil {
		return "", "", errors.Join(err, d.hangUp())
	}
	a := player.New(f.Name, f.Strategy, o)
	if f.Furnish != nil {
		f.Furnish(a.Node)
	}
	at := Serve(life, d.door, a.Node)
	writing, closeBook := context.WithCancel(context.WithoutCancel(ctx))
	kept := make(chan struct{})
	go func() { defer close(kept); memory.Run(writing) }()
	err = f.admitted(d.who.refused(a.Register(ctx, manager, at.URL)))
	if err == nil {
		err = d.registered(a.ID())
	}
	if err == nil {
		ready(a.ID(), at.URL)
		next = f.await(ctx, a)
	}
	stop()
	err = errors.Join(NotCancelled(err), <-at.Ended)
	closeBook() // after the last result that can have come
	<-kept
	return next, a.ID(), errors.Join(err, answers.Close())
}

// await returns when the player is to end, or, with the next league, when it plays on there.
func (f Player) await(ctx context.Context, a *player.Agent) (next string) {
	select {
	case <-a.Done():
		if next = f.goesOn(a.Next()); next != "" || !f.Stay {
			return next
		}
		<-ctx.Done()
	case <-ctx.Done():
	}
	f.left(ctx, a.Drain)
	return ""
}

// options are what a player is made with: who it is, and where it keeps what it has to.
func (f Player) options(d *agentEnv, started config.Started, answers *store.Answers, memory *store.Memory, manager string) (
	o player.Options, err error) {
	o = player.Options{
		Options: d.options(), ID: f.ID, LeagueID: f.LeagueID, Version: cmp.Or(started.Version, Version()),
		GameTypes: f.able(f.plays(started.GameTypes)), Declines: started.Declines, MaxHistory: started.MaxHistory,
		Rules: Rules, Recall: memory.Recall, Remember: memory.Remember,
		Joined: f.Joined, KeepJoined: f.KeepJoined, Identity: d.who.at(manager, f.Own), KeepIdentity: d.who.keep,
		Unsigned:   f.Unsigned,
		KeepAnswer: answers.Keep, DropAnswers: answers.Drop, KeepWitness: memory.Witness,
	}
	o.JoinKey = f.JoinKey
	if o.Identity.ID == "" {
		return o, nil
	}
	if o.Answers, err = answers.Load(o.Identity.ID); err != nil {
		return o, err
	}
	o.Witness, err = memory.Heard(o.Identity.ID)
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
