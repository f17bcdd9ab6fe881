package referee

import (
	"context"
	"strings"
	"sync"
	"time"

	"agentleague/game"
	"agentleague/protocol"
	"agentleague/rpc"
)

// again is how long the referee waits before it repeats what must succeed.
const again = 2 * time.Second

// Options are the parts of a referee that have defaults.
type Options struct {
	rpc.Options
	ID         string   // the id to ask for
	Token      string   // a token from an earlier registration
	LeagueID   string   // the league to serve; default: the manager's own
	Version    string   // default 1.0.0
	GameTypes  []string // default even_odd
	MaxMatches int      // matches at a time; default 2
	Policy     Policy
	Recorder   Recorder // default: memory
	Undecided  Shelf    // where matches wait for the manager's draw; default: memory
	Meter      Meter    // default: nobody is told

	Identity     rpc.Identity             // from an earlier run; default: a new key
	KeepIdentity func(rpc.Identity) error // keeps each place before it is taken; default: nobody does
	Secret       []byte                   // the root's referee secret, by which a manager knows the organiser's referees
	JoinKey      string                   // shown in place of a token by a referee that has none yet

	// Stood tells how long this process has stood still so far, as [Pulse.Stood]
	// does. By default only a deadline that is noticed late tells of it.
	Stood func() time.Duration
}

// A Referee plays the matches that a manager hands to it.
type Referee struct {
	Node     *rpc.Node
	name     string
	games    func(gameType string) (game.Game, error)
	opts     Options
	breakers *breakers

	base        context.Context // ends when the referee does; matches outlive the request that starts them
	running     sync.WaitGroup
	registering chan struct{} // holds one while a registration is under way
	applicant   *rpc.Applicant

	mu         sync.Mutex
	grant      protocol.Grant
	registered bool          // by this run
	welcomed   *rpc.Identity // by the manager, in the registration under way
	untold     sync.Once     // what an earlier run left is taken up
	manager    string
	url        string
	matches    map[matchKey]*match // the newest attempt at each
	told       []*match            // those that are over and told, oldest first
	busy       int
	draining   bool // no further match is taken on
	reporting  map[protocol.RecordRef]*reporter
	teaching   sync.Mutex      // what was learned of players is kept one at a time
	held       map[*match]bool // over, and not recorded yet because that fails
}

// A matchKey names a match. The leagues that a referee serves in turn all have an R1M1.
type matchKey struct{ league, match string }

func keyOf(start *protocol.StartMatch) matchKey { return matchKey{start.LeagueID, start.MatchID} }

// New returns a referee of that name that finds the rules of a game with games.
// Its matches run until ctx ends.
func New(ctx context.Context, name string, games func(gameType string) (game.Game, error), o Options) *Referee {
	if o.Version == "" {
		o.Version = "1.0.0"
	}
	if o.GameTypes == nil {
		o.GameTypes = []string{"even_odd"}
	}
	if o.MaxMatches == 0 {
		o.MaxMatches = 2
	}
	if o.Recorder == nil {
		o.Recorder = &Memory{}
	}
	if o.Undecided == nil {
		o.Undecided = &MemoryShelf{}
	}
	if o.Stood == nil {
		o.Stood = func() time.Duration { return 0 }
	}
	if o.Meter == nil {
		o.Meter = unmetered{}
	}
	o.Policy = o.Policy.withDefaults()
	r := &Referee{
		name: name, games: games, opts: o, base: ctx, breakers: newBreakers(o.Policy), registering: make(chan struct{}, 1),
		matches: map[matchKey]*match{}, reporting: map[protocol.RecordRef]*reporter{}, held: map[*match]bool{},
		grant: protocol.Grant{ID: o.ID, Token: o.Token, League: o.LeagueID},
	}
	sender := o.ID
	if sender == "" {
		sender = slug(name)
	}
	r.Node = rpc.NewNode(protocol.Sender(protocol.RoleReferee, sender), o.Options)
	r.applicant = rpc.NewApplicant(r.Node, rpc.ApplicantOptions{Identity: o.Identity, Keep: o.KeepIdentity, Taken: r.taken, Secret: o.Secret})
	r.handle()
	return r
}

func slug(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }

// handle registers what the referee answers.
func (r *Referee) handle() {
	r.Node.Handle(protocol.TypeStartMatch, r.startMatch)
	r.Node.Handle(protocol.TypeRoundAnnouncement, r.announced)
	r.Node.Handle(protocol.TypeLeagueCompleted, r.leagueCompleted)
	r.Node.HandleOpen(protocol.TypeGetMatchState, r.tellState)
	r.Node.HandleOpen(protocol.TypeCollectChoices, r.tellState)
	r.Node.HandleOpen(protocol.TypeDrawNumber, r.tellState)
	r.Node.HandleOpen(protocol.TypeFinalizeMatch, r.tellState)
	r.Node.Handle(protocol.TypeGetMatchRecords, r.tellRecords)
	r.Node.HandleOpen(protocol.TypeRegisterToLeague, r.registerAgain)
}

// Wait returns when no match and no report is under way.
func (r *Referee) Wait() { r.running.Wait() }

// Granted returns what the manager granted to this referee.
func (r *Referee) Granted() protocol.Grant {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.grant
}

// fromManager checks that a message shows the token that only this referee's
// manager can. A foreign manager has none to show.
func (r *Referee) fromManager(h *protocol.Envelope) error {
	_, err := r.grantOf(h)
	return err
}

// grantOf returns what the manager granted that sends a message, if it is this
// referee's.
func (r *Referee) grantOf(h *protocol.Envelope) (protocol.Grant, error) {
	r.mu.Lock()
	g, registered := r.grant, r.registered
	r.mu.Unlock()
	switch {
	case !registered:
		return g, protocol.Errorf(protocol.RefereeNotRegistered, "this referee has not registered yet: it does not know its manager")
	case !g.MatchTokens || protocol.SameToken(h.AuthToken, protocol.ManagerToken(g.Token, g.League, h.MessageType, h.RoundID)):
		return g, nil
	case h.AuthToken == "":
		return g, protocol.Errorf(protocol.AuthTokenMissing, "the manager's messages carry its token for this referee")
	}
	return g, protocol.Errorf(protocol.AuthTokenInvalid, "that is not the token of this referee's manager").With("provided_token", protocol.Redact(h.AuthToken))
}
