package player

import (
	"cmp"
	"context"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

// An Agent answers the messages of a manager and of referees, with the moves of a Strategy.
type Agent struct {
	Node *rpc.Node
	core
	manager  managerClient
	referees refereeServer
}

// New returns a player of that name.
func New(name string, s Strategy, o Options) *Agent {
	if o.Version == "" {
		o.Version = "1.0.0"
	}
	if o.GameTypes == nil {
		o.GameTypes = []string{"even_odd"}
	}
	a := &Agent{
		core: core{
			name: name, strategy: s, opts: settingsOf(&o), place: place{id: o.ID, token: o.Token, league: o.LeagueID},
			state: protocol.PlayerUnregistered, agentState: protocol.AgentInit,
			ended: leagueEnd{done: make(chan struct{})},
		},
	}
	a.manager.core = &a.core
	a.referees.core, a.referees.manager, a.referees.asker.manager = &a.core, &a.manager, &a.manager
	a.Node = rpc.NewNode(protocol.Sender(protocol.RolePlayer, cmp.Or(o.ID, slug(name))), o.Options)
	a.node = a.Node
	who := native.ApplicantOptions{Role: protocol.RolePlayer, Identity: o.Identity, Keep: o.KeepIdentity, Mailbox: o.Mailbox}
	if o.OnlyID {
		who.OnlyID = o.ID
	}
	a.who = native.NewApplicant(a.Node, who)
	a.memory = memory{past: o.Recall, keep: o.Remember, most: o.MaxHistory, strategy: s, log: a.Node.Logger}
	a.witness = witness{place: &a.place, who: a.who, log: a.Node.Logger, keep: o.KeepWitness}
	if was := o.Witness; was.Seal != "" {
		a.witness.was = &was
	}
	a.referees.answers = answers{place: &a.place, before: o.Answers, drop: o.DropAnswers}
	if a.opts.Nonce == "" {
		a.opts.Nonce = a.Node.Nonce(8)
	}
	a.Node.HandleAll(repertoire, a.respond)
	return a
}

// Run listens on a port, registers with the manager and plays until the league is over or ctx ends.
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
	case <-a.ended.done:
	case <-ctx.Done():
	}
	stop()
	return <-served
}

// Register registers with the manager, retrying every two seconds until the manager answers. endpoint is the agent's
// own address.
//
// this program's manager sends a challenge to the endpoint before it answers, so the agent must already be listening.
// The manager's next message may arrive before the answer.
func (a *Agent) Register(ctx context.Context, manager, endpoint string) error {
	return a.manager.register(ctx, manager, endpoint)
}

// ID returns the granted player id, or the requested one before the registration.
func (a *Agent) ID() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.id
}

// History returns the stored past matches, the oldest first. See Options.MaxHistory.
func (a *Agent) History() []protocol.PlayerMatch {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]protocol.PlayerMatch(nil), a.memory.history...)
}

// Done returns a channel that is closed when the manager has announced the end of the league.
func (a *Agent) Done() <-chan struct{} { return a.ended.done }

// AfterDone calls f once on a new goroutine after the manager has announced the end of the league; under a
// third-party manager, 60 seconds later. If the end was already announced, f is called at once. Unlike waiting for
// [Agent.Done], it needs no goroutine per player.
func (a *Agent) AfterDone(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.ended.done:
		go f()
	default:
		a.ended.after = append(a.ended.after, f)
	}
}

// Next returns the id of the league in which the agents of this one continue, or "".
func (a *Agent) Next() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ended.next
}

// Drain refuses further invitations and returns when the current matches are
// over or ctx ends.
func (a *Agent) Drain(ctx context.Context) {
	a.mu.Lock()
	a.draining = true
	a.mu.Unlock()
	for a.inHand() > 0 {
		if a.Node.Sleep(ctx, "drain", 50*time.Millisecond) != nil {
			return
		}
	}
}

// inHand returns the number of the player's open matches plus the number of its unsent protests.
func (a *Agent) inHand() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.manager.protests
	for _, p := range a.referees.attempts {
		if p.inHand() {
			n++
		}
	}
	return n
}
