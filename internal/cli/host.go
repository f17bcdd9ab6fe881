package cli

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"agentleague/game/catalog"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
	"agentleague/store"
)

// A hosted agent is a node that serves at its door until its context ends.
// Ended tells how that went.
type hosted struct {
	url   string
	ended chan error
}

// serve lets an agent answer at its door until ctx ends. Every agent that this
// program runs is put to its door here.
func serve(ctx context.Context, d door, agent http.Handler) *hosted {
	out := &hosted{url: d.URL(), ended: make(chan error, 1)}
	go func() { out.ended <- d.Serve(ctx, agent) }()
	return out
}

// An agentFlags is what referees and players are started with.
type agentFlags struct {
	port     int
	shared   *rooms // nil: a port of its own
	room     string // there: a path such as /s/x, or a name after its role; "": that of its id
	name, id string
	leagueID string
	suffix   string // tells its identity from that of others of the same name; usually ""
	own      bool   // the manager is of this process
	strict   bool
	aloud    bool                              // tell where it listens
	stay     bool                              // of a player: do not end with the league
	unsigned bool                              // of a player: it shows no key and signs nothing
	furnish  func(n *rpc.Node)                 // of a player: adds to what it answers; nil: nothing
	joined   []player.Joined                   // of a player: what it was in when it was ended
	leave    func(drain func(context.Context)) // lets it finish what is in hand; nil: it ends at once

	joinKey, joinKeyFile string // of an invitation; the file counts

	keepJoined func(now []player.Joined) error // of a player: told of what it is in; nil: nobody keeps that
	secret     string                          // of a referee: a file with the referee secret of the manager's root; "": this root's own
}

// left has an agent that was told to end finish what it has in hand.
func (f agentFlags) left(ctx context.Context, drain func(context.Context)) {
	if f.leave != nil && ctx.Err() != nil {
		f.leave(drain)
	}
}

// hostReferee serves a referee and registers it; ready is called when that is
// done. It ends with ctx, after what it has in hand.
func (h *house) hostReferee(ctx context.Context, f agentFlags, manager string, maxMatches int, ready func(id, at string)) error {
	d, err := h.desk(protocol.RoleReferee, f)
	if err != nil {
		return err
	}
	defer d.close()
	secret, err := h.refereeSecret(f.secret)
	if err != nil {
		return errors.Join(err, d.hangUp())
	}
	key, err := f.readJoinKey()
	if err != nil {
		return errors.Join(err, d.hangUp())
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	matches := &store.LazyRecorder{Root: h.Root}
	var recorder referee.Recorder = matches
	if f.aloud && !h.app.json {
		recorder = &aloudRecorder{matches, h.app}
	}
	var pulse referee.Pulse
	beating := make(chan struct{})
	go func() { defer close(beating); pulse.Beat(life) }()
	defer func() { stop(); <-beating }()
	r := referee.New(life, f.name, catalog.Lookup, referee.Options{
		Options: d.options(), ID: f.id, LeagueID: f.leagueID, Version: version(), GameTypes: gameTypes(),
		MaxMatches: maxMatches, Policy: h.policy(), Recorder: recorder, Meter: d.figures.Referee(), Stood: pulse.Stood,
		Undecided: matches, Identity: d.who.at(manager, f.own), KeepIdentity: d.who.keep, Secret: secret, JoinKey: key,
	})
	matches.ID = func() string { return r.Granted().ID }
	at := serve(life, d.door, r.Node)
	err = d.who.refused(r.Register(ctx, manager, at.url))
	if err == nil {
		err = d.registered(r.Granted().ID)
	}
	if err == nil {
		ready(r.Granted().ID, at.url)
		<-ctx.Done()
		f.left(ctx, r.Drain)
	}
	stop()
	r.Wait()
	return errors.Join(notCancelled(err), <-at.ended, matches.Close())
}

// hostPlayer serves a player and registers it; ready is called when that is
// done. It ends with ctx, after what it has in hand, and unless it is to stay with the league.
func (h *house) hostPlayer(ctx context.Context, f agentFlags, manager string, s player.Strategy, ready func(id, at string)) error {
	d, err := h.desk(protocol.RolePlayer, f)
	if err != nil {
		return err
	}
	defer d.close()
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	memory := store.NewMemory(h.Root, h.league.LeagueID, f.name, d.options().Logger)
	answers := store.NewAnswers(h.Root, h.league.LeagueID, f.own || f.shared != nil)
	o, err := h.playerOptions(d, answers, memory, manager)
	if err != nil {
		return errors.Join(err, d.hangUp())
	}
	a := player.New(f.name, s, o)
	if f.furnish != nil {
		f.furnish(a.Node)
	}
	at := serve(life, d.door, a.Node)
	writing, closeBook := context.WithCancel(context.WithoutCancel(ctx))
	kept := make(chan struct{})
	go func() { defer close(kept); memory.Run(writing) }()
	err = d.who.refused(a.Register(ctx, manager, at.url))
	if err == nil {
		err = d.registered(a.ID())
	}
	if err == nil {
		ready(a.ID(), at.url)
		over := a.Done()
		if f.stay {
			over = nil
		}
		select {
		case <-over:
		case <-ctx.Done():
			f.left(ctx, a.Drain)
		}
	}
	stop()
	err = errors.Join(notCancelled(err), <-at.ended)
	closeBook() // after the last result that can have come
	<-kept
	return errors.Join(err, answers.Close())
}

// playerOptions are what a player is made with: who it is, and where it keeps what it has to.
func (h *house) playerOptions(d *desk, answers *store.Answers, memory *store.Memory, manager string) (o player.Options, err error) {
	f := d.flags
	o = player.Options{
		Options: d.options(), ID: f.id, LeagueID: f.leagueID, Version: version(), GameTypes: gameTypes(), Recall: memory.Recall, Remember: memory.Remember,
		Joined: f.joined, KeepJoined: f.keepJoined, Identity: d.who.at(manager, f.own), KeepIdentity: d.who.keep, Unsigned: f.unsigned,
		KeepAnswer: answers.Keep, DropAnswers: answers.Drop, KeepWitness: memory.Witness,
	}
	if o.JoinKey, err = f.readJoinKey(); err != nil || o.Identity.ID == "" {
		return o, err
	}
	if o.Answers, err = answers.Load(o.Identity.ID); err != nil {
		return o, err
	}
	o.Witness, err = memory.Heard(o.Identity.ID)
	return o, err
}

// notCancelled drops the error of an agent that was told to end.
func notCancelled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// gameTypes lists every game that our agents know.
func gameTypes() (out []string) {
	for _, g := range catalog.All() {
		out = append(out, g.Info().Type)
	}
	return out
}

// strategies are the built-in minds, by name.
var strategies = map[string]func() player.Strategy{
	"random":    func() player.Strategy { return player.Random(nil) },
	"alternate": player.Alternate,
	"history":   player.FromHistory,
}

// strategyNamed returns a built-in mind.
func strategyNamed(name string) (player.Strategy, error) {
	mind, ok := strategies[strings.TrimSpace(name)]
	if !ok {
		return nil, wrongUsage("--strategy: want random, alternate or history, got %q", name)
	}
	return mind(), nil
}
