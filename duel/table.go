package duel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentleague/game"
	"agentleague/host"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

// A table consists of a referee, an organizer and the hosted players, each with a separate port. It plays one game at a
// time.
type table struct {
	Options
	contestants [2]*Contestant

	records   referee.Recorder
	organizer *organizer
	manager   string // where the organizer is
	judge     *referee.Referee
	judgeAt   string
	hosts     []*host.Served
	stop      func()
}

// A pairing is one game at a table: the players by seat, and the draw.
type pairing struct {
	id    string
	seats [2]*Contestant
	key   string // of the draw; "": a random one
}

// open starts all agents of the table. The caller must call close even if open fails.
func (t *table) open(ctx context.Context) (err error) {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	t.stop = stop
	t.organizer = newOrganizer(t.Caller, t.League, t.contestants)
	if t.manager, err = t.host(life, t.organizer.Node); err != nil {
		return err
	}
	t.organizer.agreement = native.NewAgreement(t.League, []byte(t.organizer.Nonce(32)), t.manager)
	for _, s := range t.contestants {
		if err := t.seat(ctx, life, s); err != nil {
			return err
		}
	}
	return t.referee(ctx, life)
}

// close stops all hosted agents and waits for them.
func (t *table) close() (err error) {
	t.stop()
	if t.judge != nil {
		t.judge.Wait()
	}
	for _, at := range t.hosts {
		err = errors.Join(err, <-at.Ended)
	}
	return err
}

// host serves a node on a free port.
func (t *table) host(life context.Context, n *rpc.Node) (string, error) {
	server, err := rpc.Listen(0)
	if err != nil {
		return "", err
	}
	at := host.Serve(life, server, n)
	t.hosts = append(t.hosts, at)
	return at.URL, nil
}

// seat hosts a strategy, or checks that a running agent answers.
func (t *table) seat(ctx, life context.Context, s *Contestant) (err error) {
	if s.Strategy == nil {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if t.organizer.Alive(ctx, s.Endpoint) != nil {
			return fmt.Errorf("%w at %s; start it, for example with `league player`, or check the address", ErrNobody,
				s.Endpoint)
		}
		return nil
	}
	agent := player.New(s.Name, s.Strategy, player.Options{
		Options: rpc.Options{Logger: t.Logger(s.ID)}, ID: s.ID, JoinKey: t.organizer.keys[s.ID], LeagueID: t.League,
		Version: host.Version(), GameTypes: t.Rules.Types(), MaxHistory: maxHistory, Rules: t.rules,
	})
	if s.Endpoint, err = t.host(life, agent.Node); err != nil {
		return err
	}
	return agent.Register(ctx, t.manager, s.Endpoint)
}

// maxHistory limits the number of games of a series that a player remembers.
const maxHistory = 100

// rules returns the rules of a game, or "". Hosted players call it, since there is no manager to query.
func (t *table) rules(gameType string) string {
	g, err := t.Rules.Lookup(gameType)
	if err != nil {
		return ""
	}
	return g.Info().Rules
}

// referee hosts the referee of the table.
func (t *table) referee(ctx, life context.Context) (err error) {
	node := t.Caller
	node.Logger, node.Observe = t.Logger(refereeID), t.Observe
	t.judge = referee.New(life, "Referee", t.lookup, referee.Options{
		Options: node, ID: refereeID, JoinKey: t.organizer.keys[refereeID], LeagueID: t.League,
		Version: host.Version(), GameTypes: t.Rules.Types(), MaxMatches: 1, Policy: t.Policy, Recorder: t.records,
	})
	if t.judgeAt, err = t.host(life, t.judge.Node); err == nil {
		err = t.judge.Register(ctx, t.manager, t.judgeAt)
	}
	return err
}

// lookup returns the rules of a game, which begin with an opening if the options have any.
func (t *table) lookup(gameType string) (game.Game, error) {
	g, err := t.Rules.Lookup(gameType)
	if err != nil || t.Openings.Moves == 0 && len(t.Openings.Lines) == 0 {
		return g, err
	}
	return opened{g, t.Openings}, nil
}

// play plays one game to its end and returns its record.
func (t *table) play(ctx context.Context, p pairing) (doc []byte, rec protocol.MatchRecord, err error) {
	if t.Announce {
		t.organizer.announce(ctx, protocol.Round(t.Round), t.announcement(p), t.contestants)
	}
	if err := t.organizer.play(ctx, t.judgeAt, t.order(p)); err != nil {
		return nil, rec, err
	}
	if doc, err = t.records.Document(ctx, protocol.RecordRef{LeagueID: t.League, MatchID: p.id, Attempt: 1}); err == nil {
		rec, err = protocol.ParseRecord(doc)
	}
	return doc, rec, err
}

// order is the order to play a game.
func (t *table) order(p pairing) *protocol.StartMatch {
	if p.key == "" {
		p.key = t.organizer.Nonce(32)
	}
	return &protocol.StartMatch{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeStartMatch, ConversationID: "conv-start-" + t.organizer.Nonce(4), LeagueID: t.League,
			RoundID: protocol.Round(t.Round), MatchID: p.id,
		},
		GameType: t.Game, PlayerA: t.organizer.contender(p.seats[0], p.id), PlayerB: t.organizer.contender(p.seats[1], p.id),
		Attempt: 1, DrawKey: p.key, ReportTo: t.manager,
	}
}

// announcement announces a game and its referee.
func (t *table) announcement(p pairing) protocol.AnnouncedMatch {
	return protocol.AnnouncedMatch{
		MatchID: p.id, GameType: t.Game, PlayerAID: p.seats[0].ID, PlayerBID: p.seats[1].ID,
		RefereeID: refereeID, RefereeEndpoint: t.judgeAt, Attempt: 1,
	}
}
