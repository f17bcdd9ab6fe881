package referee

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"agentleague/game"
	"agentleague/protocol"
	"agentleague/rpc"
)

// orders executes the manager's orders, each attempt at a match at most once:
//
//	order ─▶ complete ─▶ recorded? ──▶ announce again
//	                 ├─▶ all moves stored? ──▶ resume: the manager decides
//	                 └─▶ begin ─▶ play ─▶ announce
type orders struct {
	*env
	games      func(gameType string) (game.Game, error)
	matches    matchTable
	results    *announcer
	unrecorded func(start *protocol.StartMatch, err error) // called after a match without a record
}

// unnamedLeague is the league id for managers that send none; it is the example in the specification.
const unnamedLeague = "league_2025_even_odd"

// complete fills in the optional fields of an order and returns an error if a required field is missing. For a
// third-party manager without a draw key, the referee generates one.
func (o *orders) complete(start *protocol.StartMatch) error {
	manager, g := o.manager.at()
	fillIn(start, g)
	if start.ReportTo == "" {
		start.ReportTo = manager
	}
	if start.DrawKey == "" && !g.Native {
		start.DrawKey, start.DrawCommitment = o.node.Nonce(32), ""
	}
	if !g.Native {
		start.GameType = cmp.Or(start.GameType, o.opts.GameTypes[0])
		start.PlayerA.Token = cmp.Or(start.PlayerA.Token, "tok_match_"+o.node.Nonce(16))
		start.PlayerB.Token = cmp.Or(start.PlayerB.Token, "tok_match_"+o.node.Nonce(16))
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
	if err := o.mayCall(start.PlayerA, start.PlayerB); err != nil {
		return err
	}
	if start.PlayerA.ID == start.PlayerB.ID {
		return protocol.Errorf(protocol.InvalidMessage, "player_B.id: %s cannot play against itself",
			start.PlayerB.ID).With("field", "player_B.id")
	}
	return nil
}

// fillIn sets the attempt and the league of an order to defaults if they are missing.
func fillIn(start *protocol.StartMatch, g protocol.Grant) {
	start.Attempt = max(start.Attempt, 1)
	start.LeagueID = cmp.Or(start.LeagueID, g.League)
	if start.LeagueID == "" && !g.Native { // some managers never name theirs
		start.LeagueID = unnamedLeague
	}
}

// mayCall returns an error if this referee may not call an endpoint of the players, so that the manager can order the
// match from another referee.
func (o *orders) mayCall(players ...protocol.Contender) error {
	for _, p := range players {
		if err := o.node.Guard.CheckEndpoint(p.Endpoint); errors.As(err, new(*rpc.NotAllowed)) {
			return protocol.Errorf(protocol.EndpointNotAllowed, "this referee may not call %s: %v", p.ID,
				err).With("player_id", p.ID)
		}
	}
	return nil
}

// take executes an order. It is idempotent: if the match is recorded already, its result is announced again. The
// returned status is part of the answer to the manager.
func (o *orders) take(ctx context.Context, start *protocol.StartMatch) (status string, err error) {
	if err := overtaken(o.matches.newest(keyOf(start)), start); err != nil {
		return "", err
	}
	f, recorded, err := o.recorded(ctx, start)
	if err != nil {
		return "", err
	}
	if recorded {
		if o.manager.foreign() { // our managers ask for missing results, and get them again
			if told, err := o.results.ends.told(ctx, o.opts.Recorder, f.Record.Ref()); told || err != nil {
				return protocol.Accepted, err
			}
		}
		return o.retell(f), nil
	}
	if f, waits, err := o.waiting(ctx, start); waits || err != nil {
		if err == nil {
			status, err = o.resume(f)
		}
		return status, err
	}
	rules, err := o.rulesOf(start)
	if err != nil {
		return "", err
	}
	return o.begin(rules, start)
}

// recorded returns the finished match of an order if this attempt is recorded, by this run of the referee or an earlier
// one.
func (o *orders) recorded(ctx context.Context, start *protocol.StartMatch) (*Finished, bool, error) {
	ref := protocol.RecordRef{LeagueID: start.LeagueID, MatchID: start.MatchID, Attempt: start.Attempt}
	doc, err := o.opts.Recorder.Document(ctx, ref)
	if errors.Is(err, ErrNoRecord) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	rec, err := protocol.ParseRecord(doc)
	return &Finished{Record: rec, Start: *start, document: doc, hash: protocol.RecordHash(doc)}, err == nil, err
}

// retell announces the result of a recorded match to its players and the manager again.
func (o *orders) retell(f *Finished) (status string) {
	o.matches.mu.Lock()
	defer o.matches.mu.Unlock()
	if o.matches.refuses(&f.Start) {
		return protocol.Busy
	}
	o.running.Go(func() { o.results.tell(o.base, f) })
	return protocol.Accepted
}

// rulesOf returns the rules of the ordered game. It fails if this program's version of the rules differs from the
// league's.
func (o *orders) rulesOf(start *protocol.StartMatch) (game.Game, error) {
	rules, err := o.games(start.GameType)
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

// begin starts a match if there is capacity, and otherwise returns [protocol.Busy]. A new attempt cancels the previous
// one and takes over its capacity.
func (o *orders) begin(rules game.Game, start *protocol.StartMatch) (status string, err error) {
	o.matches.mu.Lock()
	defer o.matches.mu.Unlock()
	old := o.matches.byKey[keyOf(start)]
	if err := overtaken(old, start); err != nil {
		return "", err
	}
	if old != nil && old.start.Attempt == start.Attempt {
		return protocol.Accepted, nil
	}
	replaces := old != nil && !old.ended
	if o.matches.refuses(start) || o.matches.busy >= o.opts.MaxMatches && !replaces {
		return protocol.Busy, nil
	}
	next, err := newMatch(o.env, rules, start)
	if err != nil {
		return "", protocol.Errorf(protocol.InvalidMessage, "%v", err)
	}
	if replaces {
		old.stop(errReplaced)
	}
	o.enter(next, next.play)
	return protocol.Accepted, nil
}

// enter adds a match to the table and plays it on a new goroutine. The caller holds the lock of the table.
func (o *orders) enter(m *match, play func() (*Finished, error)) {
	o.matches.enter(m)
	o.opts.Meter.Began()
	o.running.Go(func() { o.run(m, play) })
}

// run waits for a slot, plays a match to its end and announces the result.
func (o *orders) run(m *match, play func() (*Finished, error)) {
	f, err := o.inSlot(m, play)
	o.matches.leave(m, err == nil)
	if err != nil {
		o.opts.Meter.Ended(time.Since(m.began), nil)
		o.node.Logger.Warn("the match was not finished", slog.String("match_id", m.start.MatchID),
			slog.Int("attempt", m.start.Attempt), slog.Any("error", err))
		o.unrecorded(m.start, err)
		return
	}
	o.opts.Meter.Ended(time.Since(m.began), &f.Record.Result)
	o.results.first(f)
	o.results.tell(o.base, f)
}

// inSlot waits for a free slot (see [Slots]) and calls play while it holds the slot. If the referee has no slots, it
// plays at once.
func (o *orders) inSlot(m *match, play func() (*Finished, error)) (*Finished, error) {
	if o.opts.Slots == nil {
		return play()
	}
	give, err := o.opts.Slots.Take(&m.life, m.start.LeagueID)
	if err != nil {
		m.stop(nil)
		return nil, err
	}
	defer give()
	m.began = time.Now()
	return play()
}

// resumeAll continues the work of an earlier run in the current league: it announces the recorded but unreported
// results to the current manager and resumes the matches with stored moves.
func (o *orders) resumeAll(ctx context.Context) error {
	manager, g := o.manager.at()
	for f, err := range o.opts.Recorder.Unreported(ctx) {
		if err != nil {
			return fmt.Errorf("read unreported records: %w", err)
		}
		if f.Record.LeagueID != g.League {
			continue
		}
		f.Start.ReportTo = manager
		o.results.first(&f)
		o.running.Go(func() { o.results.tell(o.base, &f) })
	}
	return o.resumeUndecided(ctx, g.League, manager)
}

// resumeUndecided resumes a league's matches whose moves are stored but not decided, with the current manager.
func (o *orders) resumeUndecided(ctx context.Context, league, manager string) error {
	for f, err := range o.opts.Undecided.All(ctx) {
		if err != nil {
			return fmt.Errorf("read undecided matches: %w", err)
		}
		if f.Record.LeagueID != league {
			continue
		}
		if _, err := o.opts.Recorder.Document(ctx, f.Record.Ref()); !errors.Is(err, ErrNoRecord) {
			if err = errors.Join(err, o.opts.Undecided.Remove(ctx, f.Record.Ref())); err != nil {
				return err
			}
			continue // it was decided: its record is announced instead
		}
		f.Start.ReportTo = manager
		if _, err := o.resume(&f); err != nil {
			return err
		}
	}
	return nil
}

// waiting returns the ordered match if an earlier run of this guest referee has stored all of its moves. Such a match
// is not replayed; it gets the endpoints of the new order.
func (o *orders) waiting(ctx context.Context, start *protocol.StartMatch) (*Finished, bool, error) {
	if start.DrawKey != "" {
		return nil, false, nil
	}
	ref := protocol.RecordRef{LeagueID: start.LeagueID, MatchID: start.MatchID, Attempt: start.Attempt}
	for f, err := range o.opts.Undecided.All(ctx) {
		if err != nil {
			return nil, false, fmt.Errorf("read undecided matches: %w", err)
		}
		if f.Record.Ref() == ref {
			f.Start.PlayerA, f.Start.PlayerB, f.Start.ReportTo = start.PlayerA, start.PlayerB, start.ReportTo
			return &f, true, nil
		}
	}
	return nil, false, nil
}

// resume sends the stored moves of a match to the manager for the draw. It does nothing if the referee already has
// this attempt or a later one in its table. While the referee drains, it returns [protocol.Busy].
func (o *orders) resume(f *Finished) (status string, err error) {
	rules, err := o.games(f.Record.GameType)
	if err != nil {
		return "", protocol.Errorf(protocol.UnsupportedGame, "%v", err)
	}
	o.matches.mu.Lock()
	defer o.matches.mu.Unlock()
	if old := o.matches.byKey[keyOf(&f.Start)]; old != nil && old.start.Attempt >= f.Start.Attempt {
		return protocol.Accepted, nil
	}
	if o.matches.refuses(&f.Start) {
		return protocol.Busy, nil
	}
	m, err := restored(o.env, rules, f)
	if err != nil {
		return "", protocol.Errorf(protocol.Internal, "%v", err)
	}
	o.enter(m, func() (*Finished, error) {
		defer m.stop(nil)
		return m.decide(&m.life, f)
	})
	return protocol.Accepted, nil
}
