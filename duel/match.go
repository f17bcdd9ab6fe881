// Package duel plays matches outside of any league: the real referee, two
// players, and an organizer where a manager would be.
package duel

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"agentleague/game/catalog"
	"agentleague/host"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
)

// League is what the league of matches is called that belong to none.
const League = "friendly"

// refereeID is the id of the referee of a single match.
const refereeID = "REF01"

// A Contestant is one player of a match: one that runs somewhere, or a strategy
// that is played here.
type Contestant struct {
	ID       string
	Name     string // as it was asked for
	Endpoint string
	Dialect  string          // what is known of how one that runs somewhere wants to be spoken to
	Strategy player.Strategy // nil: it runs somewhere
}

// Options are what a match is played with.
type Options struct {
	Game    string
	Policy  referee.Policy
	Caller  rpc.Options                     // how those are called who run somewhere
	Logger  func(agent string) *slog.Logger // of each agent that is hosted
	Observe func(rpc.Message)               // told of every message of the referee
	Ready   func()                          // told when both players are there, before the match begins

	League   string // what its league is called; default: [League]
	Round    int    // its round there; default: the first
	Announce bool   // those who run somewhere hear of the match before it begins, as in a league
}

// A Match is one that is played here. Each of its agents has a port of its own.
type Match struct {
	ID          string
	Contestants [2]*Contestant
	Options

	kept  referee.Memory
	hosts []*host.Served
	judge *referee.Referee
}

// New returns a match under an id that its players have not met before: they
// tell matches apart by it.
func New(contestants [2]*Contestant, o Options) *Match {
	o.League, o.Round = cmp.Or(o.League, League), cmp.Or(o.Round, 1)
	return &Match{ID: protocol.MatchID(o.Round, 1+rand.IntN(999_999)), Contestants: contestants, Options: o}
}

// Play plays the match to its end and returns its record.
func (f *Match) Play(ctx context.Context) (doc []byte, rec protocol.MatchRecord, err error) {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer func() { err = errors.Join(err, f.end(stop)) }()
	o := newOrganizer(f.Caller, f.League, f.Contestants)
	manager, err := f.host(life, o.Node)
	if err != nil {
		return nil, rec, err
	}
	for _, s := range f.Contestants {
		if err := f.seat(ctx, life, s, o, manager); err != nil {
			return nil, rec, err
		}
	}
	r, at, err := f.referee(ctx, life, o, manager)
	if err != nil {
		return nil, rec, err
	}
	defer func() { stop(); r.Wait() }()
	f.judge = r
	if f.Ready != nil {
		f.Ready()
	}
	if f.Announce {
		o.announce(ctx, protocol.Round(f.Round), f.announcement(at), f.Contestants)
	}
	if err := o.play(ctx, at, f.order(o, manager)); err != nil {
		return nil, rec, err
	}
	if doc, err = f.kept.Document(ctx, protocol.RecordRef{LeagueID: f.League, MatchID: f.ID, Attempt: 1}); err == nil {
		rec, err = protocol.ParseRecord(doc)
	}
	return doc, rec, err
}

// Spectate returns what one may see of the match who has no seat, in the game's own JSON, while it is played. It is for
// those who are told of its messages.
func (f *Match) Spectate() json.RawMessage {
	if f.judge == nil {
		return nil
	}
	told, err := f.judge.Tell(f.League, f.ID)
	if err != nil {
		return nil
	}
	return told.Spectator
}

// host serves a node on a free port.
func (f *Match) host(life context.Context, n *rpc.Node) (string, error) {
	server, err := rpc.Listen(0)
	if err != nil {
		return "", err
	}
	at := host.Serve(life, server, n)
	f.hosts = append(f.hosts, at)
	return at.URL, nil
}

// end ends everyone who is hosted here and returns when they have.
func (f *Match) end(stop func()) (err error) {
	stop()
	for _, at := range f.hosts {
		err = errors.Join(err, <-at.Ended)
	}
	return err
}

// seat finds a player that runs somewhere, or hosts one.
func (f *Match) seat(ctx, life context.Context, s *Contestant, o *organizer, manager string) (err error) {
	if s.Strategy == nil {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if o.Alive(ctx, s.Endpoint) != nil {
			return fmt.Errorf("%w at %s; start it, for example with `league player`, or check the address", ErrNobody,
				s.Endpoint)
		}
		return nil
	}
	agent := player.New(s.Name, s.Strategy, player.Options{
		Options: rpc.Options{Logger: f.Logger(s.ID)}, ID: s.ID, Token: o.tokens[s.ID], LeagueID: f.League,
		Version: host.Version(), GameTypes: host.GameTypes(),
	})
	if s.Endpoint, err = f.host(life, agent.Node); err != nil {
		return err
	}
	return agent.Register(ctx, manager, s.Endpoint)
}

// referee hosts the referee of the match.
func (f *Match) referee(ctx, life context.Context, o *organizer, manager string) (r *referee.Referee,
	at string, err error) {
	node := f.Caller
	node.Logger, node.Observe = f.Logger(refereeID), f.Observe
	r = referee.New(life, "Referee", catalog.Lookup, referee.Options{
		Options: node, ID: refereeID, Token: o.tokens[refereeID], LeagueID: f.League,
		Version: host.Version(), GameTypes: host.GameTypes(), MaxMatches: 1, Policy: f.Policy, Recorder: &f.kept,
	})
	if at, err = f.host(life, r.Node); err == nil {
		err = r.Register(ctx, manager, at)
	}
	return r, at, err
}

// order is the order to play the match. Its draw follows from a key of its own.
func (f *Match) order(o *organizer, manager string) *protocol.StartMatch {
	return &protocol.StartMatch{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeStartMatch, ConversationID: "conv-start-" + o.Nonce(4), LeagueID: f.League,
			RoundID: protocol.Round(f.Round),
			MatchID: f.ID,
		},
		GameType: f.Game, PlayerA: o.contender(f.Contestants[0], f.ID), PlayerB: o.contender(f.Contestants[1], f.ID),
		Attempt: 1, DrawKey: o.Nonce(32), ReportTo: manager,
	}
}

// announcement tells of the match and of who referees it.
func (f *Match) announcement(referee string) protocol.AnnouncedMatch {
	return protocol.AnnouncedMatch{
		MatchID: f.ID, GameType: f.Game, PlayerAID: f.Contestants[0].ID, PlayerBID: f.Contestants[1].ID,
		RefereeID: refereeID, RefereeEndpoint: referee, Attempt: 1,
	}
}
