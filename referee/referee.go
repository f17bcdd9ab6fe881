package referee

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"agentleague/game"
	"agentleague/protocol"
	"agentleague/rpc"
)

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
}

// A Referee plays the matches that a manager hands to it.
type Referee struct {
	Node     *rpc.Node
	name     string
	games    func(gameType string) (game.Game, error)
	opts     Options
	breakers *breakers

	base    context.Context // ends when the referee does; matches outlive the request that starts them
	running sync.WaitGroup

	mu      sync.Mutex
	grant   protocol.Grant
	manager string
	url     string
	matches map[string]*match // by match id: the newest attempt
	busy    int
}

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
	o.Policy = o.Policy.withDefaults()
	r := &Referee{
		name: name, games: games, opts: o, base: ctx, breakers: newBreakers(o.Policy), matches: map[string]*match{},
		grant: protocol.Grant{ID: o.ID, Token: o.Token, League: o.LeagueID},
	}
	sender := o.ID
	if sender == "" {
		sender = slug(name)
	}
	r.Node = rpc.NewNode(protocol.Sender(protocol.RoleReferee, sender), o.Options)
	r.handle()
	return r
}

func slug(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "-")) }

// handle registers what the referee answers.
func (r *Referee) handle() {
	r.Node.Handle(protocol.TypeStartMatch, r.startMatch)
	r.Node.Handle(protocol.TypeLeagueCompleted, r.leagueCompleted)
	r.Node.Handle(protocol.TypeGetMatchState, r.tellState)
	r.Node.Handle(protocol.TypeCollectChoices, r.tellState)
	r.Node.Handle(protocol.TypeDrawNumber, r.tellState)
	r.Node.Handle(protocol.TypeFinalizeMatch, r.tellState)
	r.Node.Handle(protocol.TypeGetMatchRecords, r.tellRecords)
	r.Node.Handle(protocol.TypeRegisterToLeague, r.registerAgain)
}

// Register asks the manager for a place among its referees, every two seconds
// until it is there, and then reports what an earlier run could not.
func (r *Referee) Register(ctx context.Context, manager, endpoint string) error {
	r.mu.Lock()
	r.manager, r.url = manager, endpoint
	r.mu.Unlock()
	if _, err := r.register(ctx); err != nil {
		return err
	}
	return r.reportUnreported(ctx)
}

func (r *Referee) register(ctx context.Context) (*protocol.RefereeRegisterResponse, error) {
	r.mu.Lock()
	manager := r.manager
	m := &protocol.RefereeRegisterRequest{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeRefereeRegisterRequest, AuthToken: r.grant.Token, LeagueID: r.grant.League,
			ConversationID: "conv-ref-" + slug(r.name) + "-reg-001",
		},
		Meta: protocol.AgentMeta{
			DisplayName: r.name, Version: r.opts.Version, ProtocolVersion: protocol.Release, GameTypes: r.opts.GameTypes,
			ContactEndpoint: r.url, MaxConcurrentMatches: r.opts.MaxMatches, MatchTokens: true,
		},
	}
	r.mu.Unlock()
	if manager == "" {
		return nil, protocol.Errorf(protocol.MissingField, "league_endpoint: this referee knows no manager").With("field", "league_endpoint")
	}
	reply, err := r.Node.Insist(ctx, rpc.Peer{Endpoint: manager}, 2*time.Second, m)
	if err != nil {
		return nil, fmt.Errorf("register with %s: %w", manager, err)
	}
	answer := reply.(*protocol.RefereeRegisterResponse)
	return answer, r.admitted(answer)
}

func (r *Referee) admitted(answer *protocol.RefereeRegisterResponse) error {
	g, err := answer.Granted()
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.grant = g
	r.Node.SetSender(protocol.Sender(protocol.RoleReferee, g.ID))
	r.Node.Logger.Info("registered", slog.String("referee_id", g.ID), slog.String("league_id", g.League))
	return nil
}

// reportUnreported tells the ends of matches that an earlier run did not get told.
func (r *Referee) reportUnreported(ctx context.Context) error {
	for f, err := range r.opts.Recorder.Unreported(ctx) {
		if err != nil {
			return fmt.Errorf("read unreported records: %w", err)
		}
		r.running.Go(func() { r.tell(r.base, f) })
	}
	return nil
}

// Wait returns when no match and no report is under way.
func (r *Referee) Wait() { r.running.Wait() }

// Granted returns what the manager granted to this referee.
func (r *Referee) Granted() protocol.Grant {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.grant
}

// fromManager checks that a message shows the token that only this referee's manager can.
func (r *Referee) fromManager(h *protocol.Envelope) error {
	g := r.Granted()
	if !g.MatchTokens || protocol.SameToken(h.AuthToken, protocol.ManagerToken(g.Token, g.League)) {
		return nil
	}
	if h.AuthToken == "" {
		return protocol.Errorf(protocol.AuthTokenMissing, "the manager's messages carry its token for this referee")
	}
	return protocol.Errorf(protocol.AuthTokenInvalid, "that is not the token of this referee's manager").With("provided_token", protocol.Redact(h.AuthToken))
}

// startMatch takes a match on, once for each attempt at it. An attempt that is
// being played is accepted again; one that is recorded is told again.
func (r *Referee) startMatch(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	start := m.(*protocol.StartMatch)
	if err := r.fromManager(m.Head()); err != nil {
		return nil, err
	}
	start.Attempt = max(start.Attempt, 1)
	status, err := r.take(ctx, start)
	if err != nil {
		return nil, err
	}
	return &protocol.StartMatchAck{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeStartMatchAck, LeagueID: start.LeagueID, RoundID: start.RoundID, MatchID: start.MatchID,
		},
		Status: status,
	}, nil
}

func (r *Referee) take(ctx context.Context, start *protocol.StartMatch) (status string, err error) {
	if f, ok, err := r.recorded(ctx, start); err != nil || ok {
		if ok {
			r.running.Go(func() { r.tell(r.base, f) })
		}
		return protocol.Accepted, err
	}
	rules, err := r.games(start.GameType)
	if err != nil {
		return "", protocol.Errorf(protocol.UnsupportedGame, "%v", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.matches[start.MatchID]
	switch {
	case old != nil && old.start.Attempt == start.Attempt:
		return protocol.Accepted, nil
	case old != nil && old.start.Attempt > start.Attempt:
		return "", protocol.Errorf(protocol.OutOfTurn, "attempt %d at %s has been replaced by attempt %d", start.Attempt, start.MatchID, old.start.Attempt)
	case r.busy >= r.opts.MaxMatches:
		return protocol.Busy, nil
	}
	next, err := newMatch(r, rules, start)
	if err != nil {
		return "", protocol.Errorf(protocol.InvalidMessage, "%v", err)
	}
	if old != nil {
		old.stop(errReplaced)
	}
	r.matches[start.MatchID] = next
	r.busy++
	r.running.Go(func() { r.run(next) })
	return protocol.Accepted, nil
}

var errReplaced = errors.New("the manager has ordered another attempt at this match")

// recorded returns the match if this attempt at it has been played to its end,
// by this run of the referee or an earlier one.
func (r *Referee) recorded(ctx context.Context, start *protocol.StartMatch) (Finished, bool, error) {
	ref := protocol.RecordRef{LeagueID: start.LeagueID, MatchID: start.MatchID, Attempt: start.Attempt}
	doc, err := r.opts.Recorder.Document(ctx, ref)
	if errors.Is(err, ErrNoRecord) {
		return Finished{}, false, nil
	}
	if err != nil {
		return Finished{}, false, err
	}
	rec, err := protocol.ParseRecord(doc)
	return Finished{Record: rec, Start: *start}, err == nil, err
}

// run plays a match to its end and tells it.
func (r *Referee) run(m *match) {
	f, err := m.play()
	r.mu.Lock()
	r.busy--
	r.mu.Unlock()
	if err != nil {
		r.Node.Logger.Error("the match was not finished", slog.String("match_id", m.start.MatchID), slog.Any("error", err))
		r.forget(m)
		return
	}
	r.tell(r.base, f)
}

// forget lets a match be started again that failed for the referee's own fault.
func (r *Referee) forget(m *match) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.matches[m.start.MatchID] == m {
		delete(r.matches, m.start.MatchID)
	}
}
