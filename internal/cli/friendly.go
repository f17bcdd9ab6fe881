package cli

import (
	"context"
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

// friendlies is the league of matches that belong to none.
const friendlies = "friendly"

// refereeOfOne is the id of the referee of a single match.
const refereeOfOne = "REF01"

// A friendly is a match outside of any league: the real referee, two players,
// and an organizer where a manager would be. Each has a port of its own.
type friendly struct {
	app    *app
	game   string
	id     string
	sides  [2]*side
	policy referee.Policy
	kept   referee.Memory
	hosts  []*host.Served
}

// newFriendly returns a match under an id that its players have not met
// before: they tell matches apart by it.
func newFriendly(a *app, game string, sides [2]*side) *friendly {
	return &friendly{app: a, game: game, sides: sides, id: protocol.MatchID(1, 1+rand.IntN(999_999))}
}

// play plays the match to its end and returns its record.
func (f *friendly) play(ctx context.Context) (doc []byte, rec protocol.MatchRecord, err error) {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer func() { err = errors.Join(err, f.end(stop)) }()
	o := newOrganizer(f.app, f.sides)
	manager, err := f.host(life, o.Node)
	if err != nil {
		return nil, rec, err
	}
	for _, s := range f.sides {
		if err := f.seat(ctx, life, s, o, manager); err != nil {
			return nil, rec, err
		}
	}
	r, at, err := f.referee(ctx, life, o, manager)
	if err != nil {
		return nil, rec, err
	}
	defer func() { stop(); r.Wait() }()
	f.announce()
	if err := o.play(ctx, at, f.order(o, manager)); err != nil {
		return nil, rec, err
	}
	if doc, err = f.kept.Document(ctx, protocol.RecordRef{LeagueID: friendlies, MatchID: f.id, Attempt: 1}); err == nil {
		rec, err = protocol.ParseRecord(doc)
	}
	return doc, rec, err
}

// host serves a node on a free port.
func (f *friendly) host(life context.Context, n *rpc.Node) (string, error) {
	server, err := rpc.Listen(0)
	if err != nil {
		return "", err
	}
	at := host.Serve(life, server, n)
	f.hosts = append(f.hosts, at)
	return at.URL, nil
}

// end ends everyone who is hosted here and returns when they have.
func (f *friendly) end(stop func()) (err error) {
	stop()
	for _, at := range f.hosts {
		err = errors.Join(err, <-at.Ended)
	}
	return err
}

// seat finds a player that runs somewhere, or hosts one.
func (f *friendly) seat(ctx, life context.Context, s *side, o *organizer, manager string) (err error) {
	if s.mind == nil {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if o.Alive(ctx, s.endpoint) != nil {
			return fmt.Errorf("no player answers at %s; start it, for example with `league player`, or check the address", s.endpoint)
		}
		return nil
	}
	agent := player.New(s.name, s.mind, player.Options{
		Options: rpc.Options{Logger: f.logger(s.id)}, ID: s.id, Token: o.tokens[s.id], LeagueID: friendlies, Version: host.Version(), GameTypes: host.GameTypes(),
	})
	if s.endpoint, err = f.host(life, agent.Node); err != nil {
		return err
	}
	return agent.Register(ctx, manager, s.endpoint)
}

// referee hosts the referee of the match.
func (f *friendly) referee(ctx, life context.Context, o *organizer, manager string) (r *referee.Referee, at string, err error) {
	node := f.app.caller()
	node.Logger, node.Observe = f.logger(refereeOfOne), (&commentary{friendly: f}).hear
	r = referee.New(life, "Referee", catalog.Lookup, referee.Options{
		Options: node, ID: refereeOfOne, Token: o.tokens[refereeOfOne], LeagueID: friendlies,
		Version: host.Version(), GameTypes: host.GameTypes(), MaxMatches: 1, Policy: f.policy, Recorder: &f.kept,
	})
	if at, err = f.host(life, r.Node); err == nil {
		err = r.Register(ctx, manager, at)
	}
	return r, at, err
}

// order is the order to play the match. Its draw follows from a key of its own.
func (f *friendly) order(o *organizer, manager string) *protocol.StartMatch {
	return &protocol.StartMatch{
		Envelope: protocol.Envelope{MessageType: protocol.TypeStartMatch, ConversationID: "conv-start-" + o.Nonce(4), LeagueID: friendlies, RoundID: 1, MatchID: f.id},
		GameType: f.game, PlayerA: o.contender(f.sides[0], f.id), PlayerB: o.contender(f.sides[1], f.id),
		Attempt: 1, DrawKey: o.Nonce(32), ReportTo: manager,
	}
}

// logger tells on standard error what goes wrong, if that is asked for.
func (f *friendly) logger(agent string) *slog.Logger {
	level := slog.LevelError
	_ = level.UnmarshalText([]byte(f.app.level))
	if level == slog.LevelWarn {
		level = slog.LevelError // what a warning tells is shown as part of the match
	}
	return slog.New(slog.NewTextHandler(f.app.err, &slog.HandlerOptions{Level: level})).With("agent", agent)
}
