package referee

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"agentleague/game"
	"agentleague/protocol"
	"agentleague/rpc"
)

// unnamedLeague is the league of a manager that gives it no name: the specification's own.
const unnamedLeague = "league_2025_even_odd"

// startMatch accepts a match, once for each attempt at it. An attempt in play is accepted again; a recorded one is
// announced again.
func (r *Referee) startMatch(ctx context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
	g, err := r.grantFor(m.Head())
	if err != nil {
		return nil, err
	}
	start := m.(*protocol.StartMatch).Show(g.Token)
	if !g.Native {
		r.hint(start, from)
	}
	var status string
	var result *protocol.MatchResultReport
	if from.Method == runMatch && !g.Native {
		status, result, err = r.acceptAndWait(ctx, start)
	} else {
		status, err = r.accept(ctx, start)
	}
	if err != nil {
		return nil, err
	}
	return &protocol.StartMatchAck{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeStartMatchAck, LeagueID: start.LeagueID, RoundID: start.RoundID, MatchID: start.MatchID,
		},
		Status: status, Result: result,
	}, nil
}

// hint records the traits of a third-party manager that an order shows. Managers that call message types, or send no
// envelope, do not use null for a draw.
func (r *Referee) hint(start *protocol.StartMatch, from rpc.From) {
	hintDialect(start, from.Dialect)
	typed := from.Method != "" && from.Method == strings.ToUpper(from.Method)
	if typed || start.Sender == "" {
		r.draws.expectWord()
	}
}

// runMatch is an order with the result in its answer: managers that call it accept no report.
const runMatch = "run_match"

// awaiting is how long the answer to such an order waits for the end of its match. The server writes no answer after
// a minute.
const awaiting = 50 * time.Second

// acceptAndWait takes an order of a third-party manager and waits for the result of its match; nil: it takes too long.
func (r *Referee) acceptAndWait(
	ctx context.Context, start *protocol.StartMatch,
) (status string, result *protocol.MatchResultReport, err error) {
	fillIn(start, r.Granted())
	if f, recorded, err := r.recorded(ctx, start); recorded && err == nil {
		result, err = newReport(f)
		return protocol.Accepted, result, err
	}
	over := r.awaited.expect(protocol.RecordRef{LeagueID: start.LeagueID, MatchID: start.MatchID, Attempt: start.Attempt})
	if status, err = r.accept(ctx, start); err != nil || status != protocol.Accepted {
		return status, nil, err
	}
	wait := time.NewTimer(awaiting)
	defer wait.Stop()
	select {
	case result = <-over:
	case <-wait.C:
	case <-ctx.Done():
	}
	return status, result, nil
}

// accept takes an order, or queues one of a foreign manager that cannot be
// played at once.
func (r *Referee) accept(ctx context.Context, start *protocol.StartMatch) (status string, err error) {
	foreign := !r.Granted().Native
	if foreign && unlocated(start) {
		r.queue(start)
		return protocol.Accepted, nil
	}
	if err := r.complete(start); err != nil {
		return "", err
	}
	status, err = r.take(ctx, start)
	if status == protocol.Busy && foreign {
		r.queue(start)
		status = protocol.Accepted
	}
	return status, err
}

// complete fills in the optional members of an order and refuses one without a required member. Only a foreign
// manager leaves the draw to its referee.
func (r *Referee) complete(start *protocol.StartMatch) error {
	r.mu.Lock()
	g, manager := r.grant, r.manager
	r.mu.Unlock()
	fillIn(start, g)
	if start.ReportTo == "" {
		start.ReportTo = manager
	}
	if start.DrawKey == "" && !g.Native {
		start.DrawKey, start.DrawCommitment = r.Node.Nonce(32), ""
	}
	if !g.Native {
		start.GameType = cmp.Or(start.GameType, r.opts.GameTypes[0])
		start.PlayerA.Token = cmp.Or(start.PlayerA.Token, "tok_match_"+r.Node.Nonce(16))
		start.PlayerB.Token = cmp.Or(start.PlayerB.Token, "tok_match_"+r.Node.Nonce(16))
	}
	for _, need := range [][2]string{
		{"player_A.id", start.PlayerA.ID}, {"player_A.endpoint", start.PlayerA.Endpoint},
		{"player_B.id", start.PlayerB.ID}, {"player_B.endpoint", start.PlayerB.Endpoint},
	} {
		if need[1] == "" {
			return protocol.Errorf(protocol.MissingField, "%s: the field %s is missing", protocol.TypeStartMatch,
				need[0]).With("field", need[0])
		}
	}
	if err := r.mayCall(start.PlayerA, start.PlayerB); err != nil {
		return err
	}
	if start.PlayerA.ID == start.PlayerB.ID {
		return protocol.Errorf(protocol.InvalidMessage, "player_B.id: %s cannot play against itself",
			start.PlayerB.ID).With("field", "player_B.id")
	}
	return nil
}

// fillIn sets the attempt and the league of an order that does not name them.
func fillIn(start *protocol.StartMatch, g protocol.Grant) {
	start.Attempt = max(start.Attempt, 1)
	start.LeagueID = cmp.Or(start.LeagueID, g.League)
	if start.LeagueID == "" && !g.Native { // some managers never name theirs
		start.LeagueID = unnamedLeague
	}
}

// mayCall refuses a match with a player that this referee may not call: that
// is no failure of the player's, and another referee may.
func (r *Referee) mayCall(players ...protocol.Contender) error {
	for _, p := range players {
		if err := r.Node.Guard.CheckEndpoint(p.Endpoint); errors.As(err, new(*rpc.NotAllowed)) {
			return protocol.Errorf(protocol.EndpointNotAllowed, "this referee may not call %s: %v", p.ID,
				err).With("player_id", p.ID)
		}
	}
	return nil
}

// take executes an order, or finds that it was executed: a recorded match is not played again but announced again.
// The status is the answer to the manager.
func (r *Referee) take(ctx context.Context, start *protocol.StartMatch) (status string, err error) {
	r.mu.Lock()
	err = overtaken(r.matches[keyOf(start)], start)
	r.mu.Unlock()
	if err != nil {
		return "", err
	}
	f, recorded, err := r.recorded(ctx, start)
	if err != nil {
		return "", err
	}
	if recorded {
		if r.abroad() { // our managers ask for missing results, and get them again
			if told, err := r.ends.told(ctx, r.opts.Recorder, f.Record.Ref()); told || err != nil {
				return protocol.Accepted, err
			}
		}
		return r.retell(f), nil
	}
	if f, waits, err := r.waiting(ctx, start); waits || err != nil {
		if err == nil {
			status, err = r.resume(f)
		}
		return status, err
	}
	rules, err := r.rulesOf(start)
	if err != nil {
		return "", err
	}
	return r.begin(rules, start)
}

// rulesOf returns the rules of the match that is ordered. Rules that are another file than the league's are none.
func (r *Referee) rulesOf(start *protocol.StartMatch) (game.Game, error) {
	rules, err := r.games(start.GameType)
	if err != nil {
		return nil, protocol.Errorf(protocol.UnsupportedGame, "%v", err)
	}
	if own := game.Digest(rules); start.RulesSHA256 != own && start.RulesSHA256 != "" {
		return nil, protocol.Errorf(protocol.UnsupportedGame, "the rules of %s here are not those of the league: "+
			"their SHA-256 is %s, "+
			"that of the league's is %s; copy the league's file", start.GameType, cmp.Or(own, "(part of the program)"),
			protocol.Clip(protocol.Plain(start.RulesSHA256), 64))
	}
	return rules, nil
}

// retell announces the end of a recorded match.
func (r *Referee) retell(f *Finished) (status string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.leaving(&f.Start) {
		return protocol.Busy
	}
	r.running.Go(func() { r.tell(r.base, f) })
	return protocol.Accepted
}

// overtaken refuses an attempt that has been replaced by a later one.
func overtaken(newest *match, start *protocol.StartMatch) error {
	if newest == nil || newest.start.Attempt <= start.Attempt {
		return nil
	}
	return protocol.Errorf(protocol.OutOfTurn, "attempt %d at %s has been replaced by attempt %d", start.Attempt,
		start.MatchID, newest.start.Attempt)
}

// begin plays a match, if there is capacity for it. A further attempt takes the capacity of the attempt that it
// replaces.
func (r *Referee) begin(rules game.Game, start *protocol.StartMatch) (status string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.matches[keyOf(start)]
	if err := overtaken(old, start); err != nil {
		return "", err
	}
	if old != nil && old.start.Attempt == start.Attempt {
		return protocol.Accepted, nil
	}
	replaces := old != nil && !old.ended
	if r.leaving(start) || r.busy >= r.opts.MaxMatches && !replaces {
		return protocol.Busy, nil
	}
	next, err := newMatch(r.env, rules, start)
	if err != nil {
		return "", protocol.Errorf(protocol.InvalidMessage, "%v", err)
	}
	if replaces {
		old.stop(errReplaced)
	}
	r.enter(next, next.play)
	return protocol.Accepted, nil
}

// enter starts a match on a goroutine. The caller holds the lock.
func (r *Referee) enter(m *match, play func() (*Finished, error)) {
	r.matches[keyOf(m.start)] = m
	r.busy++
	r.opts.Meter.Began()
	r.running.Go(func() { r.run(m, play) })
}

// recorded returns the match if this attempt at it has been played to its end,
// by this run of the referee or an earlier one.
func (r *Referee) recorded(ctx context.Context, start *protocol.StartMatch) (*Finished, bool, error) {
	ref := protocol.RecordRef{LeagueID: start.LeagueID, MatchID: start.MatchID, Attempt: start.Attempt}
	doc, err := r.opts.Recorder.Document(ctx, ref)
	if errors.Is(err, ErrNoRecord) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	rec, err := protocol.ParseRecord(doc)
	return &Finished{Record: rec, Start: *start, document: doc, hash: protocol.RecordHash(doc)}, err == nil, err
}

// run plays a match to its end and announces it.
func (r *Referee) run(m *match, play func() (*Finished, error)) {
	f, err := r.opts.Slots.play(m, play)
	r.mu.Lock()
	r.busy--
	m.ended = true
	if err != nil && r.matches[keyOf(m.start)] == m {
		delete(r.matches, keyOf(m.start)) // so that it can be started again
	}
	r.mu.Unlock()
	if err != nil {
		m.unfinished(err)
		r.lookElsewhere(m.start, err)
		return
	}
	r.opts.Meter.Ended(time.Since(m.began), &f.Record.Result)
	if r.abroad() {
		r.ends.take(f.Record.Ref())
	}
	r.tell(r.base, f)
}

// unfinished notes that a match ended without a record.
func (m *match) unfinished(err error) {
	m.env.opts.Meter.Ended(time.Since(m.began), nil)
	m.env.node.Logger.Warn("the match was not finished", slog.String("match_id", m.start.MatchID),
		slog.Int("attempt", m.start.Attempt), slog.Any("error", err))
}
