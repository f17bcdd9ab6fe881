package referee

import (
	"cmp"
	"context"
	"sync"

	"agentleague/game"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/lifetime"
	"agentleague/rpc/native"
)

// A Referee plays the matches that its manager orders.
//
//	manager ─▶ handlers ─▶ orderQueue ─▶ orders ─▶ match ─▶ announcer ─▶ players, manager
type Referee struct {
	Node *rpc.Node
	*env
	orders   orders
	queue    orderQueue
	results  announcer
	admitted sync.Once // the results left by an earlier run are announced
	over     sync.Once // of Options.Over
}

// New returns a referee with a display name. games returns the rules of a game type. The referee's matches are
// cancelled when ctx ends.
func New(ctx context.Context, name string, games func(gameType string) (game.Game, error), o Options) *Referee {
	o = o.withDefaults()
	node := rpc.NewNode(protocol.Sender(protocol.RoleReferee, cmp.Or(o.ID, slug(name))), o.Options)
	life := &lifetime.Context{} // child contexts, such as that of each match, are cheap
	life.Begin(ctx)
	r := &Referee{Node: node, env: &env{
		node: node, opts: o, base: life, breakers: newBreakers(o.Policy), held: &holdings{log: node.Logger},
	}}
	r.running.begin(life)
	who := native.ApplicantOptions{Identity: o.Identity, Keep: o.KeepIdentity, Role: protocol.RoleReferee, Secret: o.Secret,
		Mailbox: o.Mailbox}
	if o.OnlyID {
		who.OnlyID = o.ID
	}
	r.manager = &managerClient{
		name: name, node: node, opts: &r.opts, applicant: native.NewApplicant(node, who), admitted: r.resume,
		registering: make(chan struct{}, 1), goesOn: make(chan struct{}),
		grant: protocol.Grant{ID: o.ID, Token: o.Token, League: o.LeagueID},
	}
	r.results.env, r.results.settle = r.env, r.orders.matches.settle
	r.results.draws.learning = make(chan struct{}, 1)
	r.orders.env, r.orders.games, r.orders.results, r.orders.unrecorded = r.env, games, &r.results, r.queue.searchAgain
	r.orders.matches.byKey = map[matchKey]*match{}
	r.queue.env, r.queue.orders, r.queue.results = r.env, &r.orders, &r.results
	r.queue.players = locator{node: node, base: life, manager: r.manager}
	r.handle()
	return r
}

// Register registers with the manager, retrying every two seconds until it answers. It then starts to announce the
// results that an earlier run has left unreported. endpoint is the referee's own address.
func (r *Referee) Register(ctx context.Context, manager, endpoint string) error {
	r.manager.serve(manager, endpoint)
	_, err := r.manager.register(ctx, "")
	return err
}

// resume continues the work of an earlier run of the referee, after the registration was accepted for the first time.
func (r *Referee) resume(ctx context.Context, g protocol.Grant) (err error) {
	r.admitted.Do(func() {
		if !g.Native {
			r.running.Go(r.queue.fetch)
		}
		err = r.orders.resumeAll(ctx)
	})
	return err
}

// Granted returns the id and token that the manager has granted to this referee.
func (r *Referee) Granted() protocol.Grant { return r.manager.granted() }

// Tell returns the public state of a match: its progress as a spectator may see it, and the result once the match is
// over. An empty league means the referee's current one.
func (r *Referee) Tell(league, id string) (*protocol.MatchState, error) {
	match := r.orders.matches.newest(matchKey{cmp.Or(league, r.manager.granted().League), id})
	if match == nil {
		return nil, protocol.Errorf(protocol.MatchNotFound, "this referee has no match %q", id)
	}
	return match.tell(), nil
}

// GoesOn returns a channel that is closed when the league is over and [Referee.Next] names the next one.
func (r *Referee) GoesOn() <-chan struct{} { return r.manager.goesOn }

// Next returns the id of the league in which the same agents continue, or "".
func (r *Referee) Next() string {
	r.manager.mu.Lock()
	defer r.manager.mu.Unlock()
	return r.manager.next
}

// Drain refuses further matches and returns when the current ones are recorded, announced and reported, or ctx
// ends. New orders are answered BUSY, so that the manager gives them to another referee.
func (r *Referee) Drain(ctx context.Context) {
	r.orders.matches.drain()
	rest := make(chan struct{})
	go func() {
		defer close(rest)
		r.Wait()
	}()
	select {
	case <-rest:
	case <-ctx.Done():
	}
}

// Wait blocks until no match and no report is in progress.
func (r *Referee) Wait() { r.running.Wait() }
