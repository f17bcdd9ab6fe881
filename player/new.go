package player

import (
	"cmp"
	"context"

	"agentleague/protocol"
	"agentleague/rpc"
)

// New returns a player of that name.
func New(name string, s Strategy, o Options) *Agent {
	if o.Version == "" {
		o.Version = "1.0.0"
	}
	if o.GameTypes == nil {
		o.GameTypes = []string{"even_odd"}
	}
	a := &Agent{
		name: name, strategy: s, opts: settingsOf(&o), place: place{id: o.ID, token: o.Token, league: o.LeagueID},
		state: protocol.PlayerUnregistered, agentState: protocol.AgentInit,
		done: make(chan struct{}),
	}
	a.asker = &asker{agent: a}
	a.Node = rpc.NewNode(protocol.Sender(protocol.RolePlayer, cmp.Or(o.ID, slug(name))), o.Options)
	who := rpc.ApplicantOptions{Role: protocol.RolePlayer, Identity: o.Identity, Keep: o.KeepIdentity}
	if o.OnlyID {
		who.OnlyID = o.ID
	}
	a.who = rpc.NewApplicant(a.Node, who)
	a.memory = memory{past: o.Recall, keep: o.Remember, most: o.MaxHistory, strategy: s, log: a.Node.Logger}
	a.witness = witness{place: &a.place, who: a.who, log: a.Node.Logger, keep: o.KeepWitness}
	if was := o.Witness; was.Seal != "" {
		a.witness.was = &was
	}
	a.answers = answers{place: &a.place, before: o.Answers, drop: o.DropAnswers}
	if a.opts.Nonce == "" {
		a.opts.Nonce = a.Node.Nonce(8)
	}
	a.Node.HandleAll(repertoire, a.respond)
	return a
}

// Run serves on port and plays under the manager until the league is over.
func (a *Agent) Run(ctx context.Context, port int, manager string) error {
	server, err := rpc.Listen(port)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, a.Node) }()
	if err := a.Register(ctx, manager, server.URL()); err != nil {
		stop()
		<-served
		return err
	}
	select {
	case <-a.done:
	case <-ctx.Done():
	}
	stop()
	return <-served
}
