package referee

import (
	"context"

	"agentleague/game"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/lifetime"
)

// New returns a referee of that name that finds the rules of a game with games.
// Its matches run until ctx ends.
func New(ctx context.Context, name string, games func(gameType string) (game.Game, error), o Options) *Referee {
	o = o.withDefaults()
	r := &Referee{
		name: name, games: games, registering: make(chan struct{}, 1), goesOn: make(chan struct{}),
		matches: map[matchKey]*match{},
		draws:   drawWord{learning: make(chan struct{}, 1)},
		grant:   protocol.Grant{ID: o.ID, Token: o.Token, League: o.LeagueID},
	}
	sender := o.ID
	if sender == "" {
		sender = slug(name)
	}
	r.Node = rpc.NewNode(protocol.Sender(protocol.RoleReferee, sender), o.Options)
	base := living(ctx)
	r.env = &env{
		node: r.Node, opts: o, base: base, breakers: newBreakers(o.Policy), held: &holdings{log: r.Node.Logger},
		showMoves: r.showMoves, abroad: func() bool { return !r.Granted().Native },
	}
	r.players = locator{node: r.Node, base: base, query: r.query}
	r.running.begin(base)
	who := rpc.ApplicantOptions{Identity: o.Identity, Keep: o.KeepIdentity, Role: protocol.RoleReferee, Secret: o.Secret}
	if o.OnlyID {
		who.OnlyID = o.ID
	}
	r.applicant = rpc.NewApplicant(r.Node, who)
	r.handle()
	return r
}

// living returns the referee's own context, which ends with ctx: child contexts, such as that of each match, are
// cheap.
func living(ctx context.Context) context.Context {
	life := &lifetime.Context{}
	life.Begin(ctx)
	return life
}

// handle registers the message handlers of the referee.
func (r *Referee) handle() {
	r.Node.Handle(protocol.TypeStartMatch, r.startMatch)
	r.Node.Handle(protocol.TypeRoundAnnouncement, r.announced)
	r.Node.Handle(protocol.TypeLeagueCompleted, r.leagueCompleted)
	r.Node.Handle(protocol.TypeLeagueError, r.leagueError)
	r.Node.Handle(protocol.TypeLeagueStandingsUpdate, hearTable(r))
	r.Node.HandleOpen(protocol.TypeGetMatchState, r.tellState)
	r.Node.HandleOpen(protocol.TypeCollectChoices, r.tellState)
	r.Node.HandleOpen(protocol.TypeDrawNumber, r.tellState)
	r.Node.HandleOpen(protocol.TypeFinalizeMatch, r.tellState)
	r.Node.Handle(protocol.TypeGetMatchRecords, r.tellRecords)
	r.Node.HandleOpen(protocol.TypeRegisterToLeague, r.registerAgain)
}
