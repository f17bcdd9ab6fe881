package player

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Options are the parts of a player that have defaults.
type Options struct {
	rpc.Options
	ID        string                                                // the id to ask for
	Token     string                                                // a token from an earlier registration
	LeagueID  string                                                // the league to play in; default: the manager's own
	Version   string                                                // default 1.0.0
	GameTypes []string                                              // default even_odd
	Nonce     string                                                // its share in the draw; default random
	Recall    func(id string) ([]protocol.PlayerMatch, error)       // finds what it remembers from before, once it has its id
	Remember  func(id string, history []protocol.PlayerMatch) error // told of the whole history after each match; it may keep but not change it

	Joined     []Joined                 // matches that it was in when it was ended, and can go on with
	KeepJoined func(now []Joined) error // told of the matches that it is in, before it answers an invitation and after each end
}

// An Agent answers a manager and referees with the choices of a Strategy.
type Agent struct {
	Node     *rpc.Node
	name     string
	strategy Strategy
	opts     Options

	mu          sync.Mutex
	id          string
	token       string
	league      string
	matchTokens bool
	state       string
	agentState  string
	foreign     map[string]bool // matches whose announced referee shows a token of its own
	bouts       map[bout]*playing
	history     []protocol.PlayerMatch
	draining    bool          // no further invitation is accepted
	done        chan struct{} // closed when the league is over
	over        sync.Once
	referees    map[string]string // where the referee of a match was announced to be
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
		foreign: map[string]bool{}, referees: map[string]string{}, bouts: map[bout]*playing{}, done: make(chan struct{}),
	}
	sender := o.ID
	if sender == "" {
		sender = strings.ToLower(strings.ReplaceAll(name, " ", "-"))
	}
	a.Node = rpc.NewNode(protocol.Sender(protocol.RolePlayer, sender), o.Options)
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

// Register asks the manager for a place in the league, every two seconds until
// the manager is there.
func (a *Agent) Register(ctx context.Context, manager, endpoint string) error {
	if home := protocol.HomeID(protocol.RolePlayer, endpoint); a.ID() == "" && home != "" && !a.Node.Strict { // some managers grant whatever is asked for
		a.Node.SetSender(protocol.Sender(protocol.RolePlayer, home))
	}
	a.mu.Lock()
	m := &protocol.LeagueRegisterRequest{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeLeagueRegisterRequest, AuthToken: a.token, LeagueID: a.league,
			ConversationID: "conv-player-" + strings.ToLower(strings.ReplaceAll(a.name, " ", "-")) + "-reg-001",
		},
		Meta: protocol.AgentMeta{
			DisplayName: a.name, Version: a.opts.Version, ProtocolVersion: protocol.Release, GameTypes: a.opts.GameTypes,
			ContactEndpoint: endpoint, MatchTokens: true, Nonce: a.opts.Nonce,
		},
	}
	a.mu.Unlock()
	reply, err := a.Node.Insist(ctx, rpc.Peer{Endpoint: manager}, 2*time.Second, m)
	if err != nil {
		return fmt.Errorf("register with %s: %w", manager, err)
	}
	return a.admitted(reply.(*protocol.LeagueRegisterResponse))
}

func (a *Agent) admitted(r *protocol.LeagueRegisterResponse) error {
	_, own := protocol.ParseSender(a.Node.Sender())
	g, err := r.Granted(own)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.id, a.token, a.matchTokens = g.ID, g.Token, g.MatchTokens
	if g.League != "" {
		a.league = g.League
	}
	a.state, a.agentState = protocol.PlayerRegistered, protocol.AgentRegistered
	a.Node.SetSender(protocol.Sender(protocol.RolePlayer, a.id))
	a.Node.Logger.Info("registered", slog.String("player_id", a.id), slog.String("league_id", a.league))
	if err := a.recall(); err != nil {
		return err
	}
	a.hear(r)
	return nil
}

// recall reads what the player remembers from before and lets its strategy
// learn from it. The caller holds the lock.
func (a *Agent) recall() error {
	if a.opts.Recall == nil || len(a.history) > 0 {
		return nil
	}
	past, err := a.opts.Recall(a.id)
	if err != nil {
		return fmt.Errorf("recall the matches of %s: %w", a.id, err)
	}
	a.history = past
	for _, m := range past {
		a.learn(m)
	}
	return nil
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
