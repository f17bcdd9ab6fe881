package manager

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"agentleague/dialect/notation"
	"agentleague/engine"
	"agentleague/league"
	"agentleague/league/keyring"
	"agentleague/protocol"
)

// A ledger is a league's log and the resulting state. One goroutine, its writer, changes both; any goroutine may
// read, and sees only durable state.
type ledger struct {
	*core
	*jobs
	keys  *keyring.Keyring
	tasks *matchTasks
	drain *drainState
	log   engine.Engine

	commands chan *command          // queued for the writer
	resting  atomic.Bool            // nothing has been written since a league was opened that is over or was at rest
	outage   outage                 // why nothing can be written, if that is so
	feed     feed                   // wakes the followers of the log
	first    atomic.Pointer[string] // line 1 of the log, once it was asked for

	mu      sync.RWMutex  // of the state: only the writer changes it
	state   *league.State // the durable state
	since   time.Time     // when this process saw the newest event of state
	changed chan struct{} // closed when the state changes; nil: no waiter
}

func newLedger(c *core, j *jobs, keys *keyring.Keyring, tasks *matchTasks, drain *drainState, log engine.Engine) *ledger {
	return &ledger{core: c, jobs: j, keys: keys, tasks: tasks, drain: drain, log: log, commands: make(chan *command, maxBatch)}
}

// takeOver reads the log, appends an event that fences off earlier managers, and starts the writer.
func (l *ledger) takeOver() error {
	w := &writer{ledger: l}
	if err := w.reload(); err != nil {
		return err
	}
	l.tasks.inherit(w.work)
	if l.opts.Reading && w.work.Completed() && w.work.Announced[league.Announced{What: "league"}] {
		l.resting.Store(true)
		l.running.Go(func() { w.run(l.ctx) })
		return nil
	}
	if err := l.sameRules(w.work.Created); w.seq > 0 && err != nil {
		return err
	}
	if err := l.sameSecret(w.work); err != nil {
		return err
	}
	old := w.seq > 0 && !w.work.Completed() && w.work.Schema < league.Schema
	if l.opts.Resumed && w.seq > 0 && !w.work.Started() && !old {
		l.resting.Store(true)
		l.running.Go(func() { w.run(l.ctx) })
		return nil
	}
	var events []league.Event
	if w.seq == 0 {
		events = append(events, l.created())
	}
	if old {
		l.warn(fmt.Sprintf("the league was begun by an older version: it continues under schema %d, which older versions "+
			"refuse, and its agents have to register again", league.Schema))
		events = append(events, league.Upgraded{Schema: league.Schema, ManagerKey: l.keys.ManagerKey(),
			Version: l.opts.Build.Version, Commit: l.opts.Build.Commit})
	}
	b := &batch{}
	if err := w.add(b, append(events, league.Epoch{Holder: l.opts.Holder, Version: l.opts.Version})); err != nil {
		return err
	}
	if err := w.add(b, league.SetCalendar(w.work, l.opts.Calendar, time.Now().Format("-07:00"))); err != nil {
		return err
	}
	if err := w.commit(b); err != nil {
		return err
	}
	l.running.Go(func() { w.run(l.ctx) })
	return nil
}

// sameSecret returns an error if the agents of the league derived their tokens with another secret than the manager has
// now.
func (l *ledger) sameSecret(s *league.State) error {
	if own := l.keys.ManagerKey(); s.ManagerKey != "" && s.ManagerKey != own {
		return fmt.Errorf("the secret token.%s is not the one that the league was created with: its manager_key is %s, and "+
			"that of the log %s; put the secret back, or restore a backup", l.opts.LeagueID, own, s.ManagerKey)
	}
	return nil
}

// FirstLine returns line 1 of the log as it is stored: its SHA-256 is the league's seal.
func (l *ledger) FirstLine(ctx context.Context) (string, error) {
	if known := l.first.Load(); known != nil {
		return *known, nil
	}
	for e, err := range l.log.Read(ctx, l.opts.LeagueID, 1) {
		if err != nil {
			return "", err
		}
		line := string(e.Text)
		l.first.Store(&line)
		return line, nil
	}
	return "", engine.ErrEmpty
}

// sameRules returns an error if the rules file of the game differs from the one that the league was created with.
func (l *ledger) sameRules(was league.Created) error {
	now := l.opts.Game
	if now.Type != was.GameType || now.Digest == was.RulesSHA256 {
		return nil
	}
	return fmt.Errorf("league %s was begun with other rules of %s: their file has the SHA-256 %s, and was %s; put "+
		"it back, a copy is "+
		"data/leagues/%s/rules.wasm, or play a new league", was.LeagueID, was.GameType, shortDigest(now.Digest),
		shortDigest(was.RulesSHA256), was.LeagueID)
}

// shortDigest returns the first 16 characters of a digest, for messages.
func shortDigest(digest string) string {
	if digest == "" {
		return "(no file)"
	}
	return digest[:min(len(digest), 16)]
}

// created returns the first event of the log. It holds all settings of the season that must not change afterwards,
// and the commitment to the secret of all draws.
func (l *ledger) created() league.Created {
	o := l.opts
	return league.Scheduled(league.Created{
		Schema: league.Schema, LeagueID: o.LeagueID, GameType: o.Game.Type, RulesSHA256: o.Game.Digest, SeatMatters: o.Game.SeatMatters,
		SwapsLaterRounds: o.Profile.Rules().SwapsLaterRounds,
		Cycles:           o.Cycles, Rounds: o.Rounds, PairedDraws: o.PairedDraws,
		Scoring: *o.Scoring, Tiebreakers: o.Tiebreakers, MaxForfeits: max(o.MaxForfeits, 0),
		GuestsMayJudge: o.Game.GuestsMayJudge,
		DrawCommitment: l.keys.DrawCommitment(), By: league.Origin(o.CreatedBy),
		ManagerKey: l.keys.ManagerKey(), Version: o.Build.Version, Commit: o.Build.Commit,
	}, o.Schedule)
}

// Read calls f with the durable state under a read lock. f must not modify the state or retain references to it.
func (l *ledger) Read(f func(s *league.State)) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	f(l.state)
}

// clock returns the time of the league: that of the machine, or if its clock was set back, the time of the newest event
// and the time since. The calendar and the log use it.
func (l *ledger) clock() (now time.Time) {
	l.Read(func(s *league.State) { now = l.clockOf(s) })
	return now
}

// clockOf is clock for a caller that reads the state s.
func (l *ledger) clockOf(s *league.State) time.Time {
	now := time.Now()
	if runsOn := s.At().Add(now.Sub(l.since)); runsOn.After(now.Round(0)) {
		return runsOn
	}
	return now
}

// Changed returns a channel that is closed when the durable state changes next. To miss no change, take the channel
// before reading the state.
func (l *ledger) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return l.changed
}

// tellChanged closes the channel that Changed returned. The caller holds the lock.
func (l *ledger) tellChanged() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// A command is a request to the writer to change the league.
type command struct {
	decide func(s *league.State) ([]league.Event, error)
	looks  bool // for room: it is tried although the league rests
	done   chan error
}

// Do writes the events that decide returns, and returns once they are durable. decide runs on the writer's goroutine
// with the state including undurable events, and must not modify it. Do returns an error of decide unchanged.
func (l *ledger) Do(ctx context.Context, decide func(s *league.State) ([]league.Event, error)) error {
	return l.ask(ctx, &command{decide: decide, done: make(chan error, 1)})
}

// ask sends a command to the writer and waits for the answer.
func (l *ledger) ask(ctx context.Context, c *command) error {
	select {
	case l.commands <- c:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-l.ctx.Done():
		return l.ended()
	}
	select {
	case err := <-c.done:
		return err
	case <-l.ctx.Done():
		return l.ended()
	}
}

// ended returns the error for requests to a manager that has ended. After a takeover the error is retryable: the same
// request soon reaches the new manager.
func (l *ledger) ended() error {
	cause := context.Cause(l.ctx)
	if errors.Is(cause, engine.ErrFenced) {
		return protocol.Errorf(protocol.Internal, "another manager has taken over the league; try again").Pass()
	}
	return cause
}

// isForeign reports whether an agent of the league has no public key. It is false for an unknown id.
func (l *ledger) isForeign(id string) (yes bool) {
	l.Read(func(s *league.State) { yes = s.Agents[id] != nil && !s.Agents[id].Native() })
	return yes
}

// isOrganisersReferee reports whether a referee has proven that it is the organiser's.
func (l *ledger) isOrganisersReferee(id string) (yes bool) {
	l.Read(func(s *league.State) { yes = s.Agents[id] != nil && s.Agents[id].Organiser })
	return yes
}

// isNative reports whether an agent has a public key. Such a referee treats a repeated order for a match as a
// duplicate.
func (l *ledger) isNative(id string) (yes bool) {
	l.Read(func(s *league.State) { yes = s.Agents[id] != nil && s.Agents[id].Native() })
	return yes
}

// fetchesMatches reports whether a referee fetches its matches instead of receiving orders.
func (l *ledger) fetchesMatches(id string) (yes bool) {
	l.Read(func(s *league.State) { yes = notation.FetchesMatches(s.Agents[id].Dialect) })
	return yes
}
