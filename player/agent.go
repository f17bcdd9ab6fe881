package player

import (
	"cmp"
	"context"
	"sync"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Options are the parts of a player that have defaults.
type Options struct {
	rpc.Options
	ID        string                                                // the id to ask for
	Token     string                                                // a token from an earlier registration, whoever gave it
	JoinKey   string                                                // from an invitation; shown where it has no token yet
	LeagueID  string                                                // the league to play in; default: the manager's own
	Version   string                                                // default 1.0.0
	GameTypes []string                                              // default even_odd
	Nonce     string                                                // its share in the draw; default random
	Recall    func(id string) ([]protocol.PlayerMatch, error)       // finds what it remembers from before, once it has its id
	Remember  func(id string, history []protocol.PlayerMatch) error // told of the whole history after each match; it may keep but not change it

	Identity     rpc.Identity             // who it is, from an earlier run; without a key it gets a new one
	KeepIdentity func(rpc.Identity) error // told of each place before it is taken; what cannot be kept is not taken
	Unsigned     bool                     // it shows no key and signs nothing, as foreign players do

	Joined     []Joined                 // matches that it was in when it was ended, and can go on with
	KeepJoined func(now []Joined) error // told of the matches that it is in, before it answers an invitation and after each end

	Answers     []Answer                     // what it had signed in matches that were not over when it was ended
	KeepAnswer  func(Answer) error           // returns once no end of this process can lose an answer; what cannot be kept is not sent
	DropAnswers func(match string, upTo int) // told that the answers in the attempts up to one are not needed any more
	Witness     Witness                      // what it had heard of its league when it was ended
	KeepWitness func(Witness) error          // told of the league's heads that it has heard, after each new one
}

// An Agent answers a manager and referees with the choices of a Strategy.
type Agent struct {
	Node     *rpc.Node
	name     string
	strategy Strategy
	opts     Options
	who      *rpc.Applicant

	mu          sync.Mutex
	id          string
	token       string
	league      string
	seal        string // of the league; "": no manager has welcomed it
	matchTokens bool
	state       string
	agentState  string
	foreign     map[string]bool // matches whose announced referee shows a token of its own
	bouts       map[bout]*playing
	history     []protocol.PlayerMatch
	trust       map[string]trust // what stands behind its results, by match
	told        map[bout]verdict // what our manager, or a referee of its, has said of a bout
	protests    int              // under way
	witness     Witness
	retold      map[Head]bool // lines of which another head was told than first
	manager     string        // where it registered
	recalled    bool          // what it remembers from before is in history
	draining    bool          // no further invitation is accepted
	done        chan struct{} // closed when the league is over
	over        sync.Once
	referees    map[string]string // where the referee of a match was announced to be
	given       map[string]string // the tokens that managers gave in their answers, by where they are
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
		name: name, strategy: s, opts: o, id: o.ID, token: o.Token, league: o.LeagueID,
		state: protocol.PlayerUnregistered, agentState: protocol.AgentInit,
		foreign: map[string]bool{}, referees: map[string]string{}, given: map[string]string{}, trust: map[string]trust{}, told: map[bout]verdict{}, retold: map[Head]bool{}, bouts: map[bout]*playing{}, done: make(chan struct{}),
	}
	a.Node = rpc.NewNode(protocol.Sender(protocol.RolePlayer, cmp.Or(o.ID, slug(name))), o.Options)
	a.who = rpc.NewApplicant(a.Node, rpc.ApplicantOptions{Identity: o.Identity, Keep: o.KeepIdentity, Taken: a.welcomed})
	if a.opts.Nonce == "" {
		a.opts.Nonce = a.Node.Nonce(8)
	}
	a.handle()
	return a
}

// handle registers what the agent answers.
func (a *Agent) handle() {
	a.Node.Handle(protocol.TypeGameInvitation, a.invited)
	a.Node.Handle(protocol.TypeChooseParityCall, a.chooseParity)
	a.Node.Handle(protocol.TypeGameMoveCall, a.chooseMove)
	a.Node.Handle(protocol.TypeGameOver, a.gameOver)
	a.Node.Handle(protocol.TypeGameError, a.gameError)
	a.Node.Handle(protocol.TypeRoundAnnouncement, a.fromManager(a.announced))
	a.Node.Handle(protocol.TypeLeagueStandingsUpdate, a.fromManager(a.noted(protocol.TypeStandingsUpdateAck)))
	a.Node.Handle(protocol.TypeStandingsNotification, a.fromManager(a.noted(protocol.TypeStandingsUpdateAck)))
	a.Node.Handle(protocol.TypeRoundCompleted, a.fromManager(a.noted(protocol.TypeRoundCompletedAck)))
	a.Node.Handle(protocol.TypeLeagueCompleted, a.fromManager(a.completed))
	a.Node.HandleOpen(protocol.TypeGetPlayerState, a.tellState)
}

// ID returns the id that the manager granted, or the one asked for before.
func (a *Agent) ID() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.id
}

// called returns the id that the agent's answers carry.
func (a *Agent) called() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known()
}

// known returns the id that the agent goes by: the one granted, or before that
// the one that it calls itself in sender. The caller holds the lock.
func (a *Agent) known() string {
	if a.id != "" {
		return a.id
	}
	_, own := protocol.ParseSender(a.Node.Sender())
	return own
}

// History returns the matches that the agent remembers.
func (a *Agent) History() []protocol.PlayerMatch {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]protocol.PlayerMatch(nil), a.history...)
}

// Done is closed when the manager has said that the league is over.
func (a *Agent) Done() <-chan struct{} { return a.done }

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
