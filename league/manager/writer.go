package manager

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"agentleague/engine"
	"agentleague/league"
	"agentleague/protocol"
)

// Limits of a batch: the number of commands, and the approximate size in bytes.
const (
	maxBatch = 256
	maxBytes = 512 << 10
)

// A writer is the only goroutine that writes a league's log.
type writer struct {
	*ledger
	seq uint64
	// work is the state with all decided events, including those that are not durable yet. Only the writer uses it. It
	// is nil while the league is paused and the log cannot be read.
	work *league.State
	// look is set if an event of the batch may have consequences other than the end of a round.
	look bool
}

// A batch holds commands and their events, which are appended to the log as one entry.
type batch struct {
	at      time.Time // one time for all events of it
	events  []league.Event
	entries []league.EncodedEvent
	size    int        // of the entries, in bytes
	waiting []*command // commands that are answered once it is durable
	answers []error    // for each of those
	looks   bool       // a command in it checks for room
}

func (b *batch) full() bool { return len(b.waiting) >= maxBatch || b.size >= maxBytes }

// run executes commands until ctx ends. Commands that are queued at the same time share a batch.
func (w *writer) run(ctx context.Context) {
	for {
		select {
		case c := <-w.commands:
			w.serve(c)
		case <-ctx.Done():
			return
		}
	}
}

// serve decides a command and the commands queued behind it, writes their events as a group commit, and answers them.
func (w *writer) serve(c *command) {
	b := &batch{}
	for ; c != nil; c = w.poll(b) {
		if err := w.ready(c); err != nil {
			c.done <- err
			continue
		}
		events, err := c.decide(w.work)
		b.waiting, b.answers, b.looks = append(b.waiting, c), append(b.answers, err), b.looks || c.looks
		if err != nil {
			continue
		}
		if err := w.add(b, events); err != nil {
			w.fail(b, err)
			return
		}
	}
	if len(b.waiting) == 0 {
		return
	}
	if err := w.commit(b); err != nil {
		w.fail(b, err)
		return
	}
	if b.looks {
		w.goOn()
	}
	for i, c := range b.waiting {
		c.done <- b.answers[i]
	}
}

// ready returns the error for a command while a full disk or a missing log pauses the league. After a failed write it
// first reads the state from the log again.
func (w *writer) ready(c *command) error {
	if r := w.rest(); r.why != "" && !c.looks {
		return r.asked
	}
	if w.work != nil {
		return nil
	}
	err := w.reload()
	if err != nil && !canPass(err) {
		w.stop(fmt.Errorf("the log could not be read again: %w", err))
	}
	return err
}

// poll returns the next queued command, if there is one and the batch has room.
func (w *writer) poll(b *batch) *command {
	if b.full() {
		return nil
	}
	select {
	case c := <-w.commands:
		return c
	default:
		return nil
	}
}

// add applies decided events to w.work and appends them to the batch.
func (w *writer) add(b *batch, events []league.Event) error {
	if b.at.IsZero() {
		b.at = w.now()
	}
	for _, e := range events {
		if w.work.Completed() && !league.MayFollowEnd(e) {
			continue // the log is final after the end
		}
		if err := w.work.Apply(b.at, e); err != nil {
			return err
		}
		line, err := league.EncodeEvent(b.at, e)
		if err != nil {
			return err
		}
		b.events, b.entries = append(b.events, e), append(b.entries, line)
		b.size += len(line.Event)
		w.look = w.look || affectsMatches(e)
	}
	return nil
}

// now returns the time of the league for a new event: timestamps in the log are monotonic.
func (w *writer) now() time.Time {
	if now := w.clock(); now.After(w.work.At()) {
		return now
	}
	return w.work.At()
}

// remaining returns how much is left of a period that began at the time of a logged event. If the clock was set back to
// before the event, it returns zero.
func remaining(period time.Duration, event time.Time) time.Duration {
	left := period - time.Since(event)
	if left > period {
		return 0
	}
	return left
}

// affectsMatches reports whether an event may make matches unplayable or change their referee. The frequent events of
// normal play do not, which saves a scan of the round.
func affectsMatches(e league.Event) bool {
	switch e.(type) {
	case league.ResultRecorded, league.Announced, league.DialectLearned:
		return false
	}
	return true
}

// follow adds to a batch the events that follow from it, last the opening of the next round if the current one is
// closed and no pause between rounds is configured. All share one log line and one fsync.
func (w *writer) follow(b *batch) error {
	was := w.work.Round
	for w.look || w.work.Left() == 0 {
		next := league.Advance(w.work, w.tasks.withhold, w.keys.DrawSecret())
		if len(next) == 0 && w.work.Round == was && len(b.events) > 0 && w.opts.Pace == 0 && !w.drain.isOn() {
			next = league.OpenNext(w.work, w.keys.DrawSecret(), b.at)
		}
		if len(next) == 0 {
			w.look = false
			break
		}
		if err := w.add(b, next); err != nil {
			return err
		}
	}
	return nil
}

// commit appends a batch with its consequences to the log, and publishes the new state once the batch is durable.
func (w *writer) commit(b *batch) error {
	if err := w.follow(b); err != nil {
		return err
	}
	if len(b.events) == 0 {
		return nil
	}
	if w.resting.Load() {
		if err := w.add(b, []league.Event{league.Epoch{Holder: w.opts.Holder, Version: w.opts.Version}}); err != nil {
			return err
		}
	}
	data := league.EncodeBatch(b.entries)
	mark, err := w.log.Append(w.ctx, w.opts.LeagueID, w.seq, data)
	if err != nil {
		return err
	}
	w.seq = mark.Seq
	w.work.Written(mark.Seq, mark.Hash, b.events)
	w.resting.Store(false)
	w.publish(b, mark, data)
	return nil
}

// writeRetryDelay is the delay after a failed write. Without it the retries of due jobs would overload a full disk.
const writeRetryDelay = time.Second

// fail answers the commands of a batch after a failed write; the batch may have been written all the same. It discards
// the state, which is then read from the log again.
func (w *writer) fail(b *batch, err error) {
	fenced := errors.Is(err, engine.ErrFenced)
	switch {
	case fenced: // nothing is wrong: the league is in other hands
		w.warn("another manager has taken over the league", slog.String("league_id", w.opts.LeagueID), slog.Any("error", err))
	case !canPass(err):
		w.Node.Logger.Error("the log could not be written", slog.String("league_id", w.opts.LeagueID),
			slog.Any("error", err))
	}
	if fenced {
		w.stop(fmt.Errorf("another manager has taken over the league: %w", err))
	} else if again := w.reload(); canPass(again) {
		w.work, err = nil, again
	} else if again != nil {
		w.stop(fmt.Errorf("the log could not be read again: %w", again))
	}
	w.tasks.releaseWithheld()
	if r, rests := restOf(err); rests {
		w.halt(err)
		b.answer(r.asked)
		return
	}
	b.answer(protocol.Errorf(protocol.Internal, "the log could not be written; try again").Pass())
	w.kick()
	_ = w.Node.Sleep(w.ctx, "log failure", writeRetryDelay)
}

// answer sends err, nil for success, to all commands of the batch.
func (b *batch) answer(err error) {
	for _, c := range b.waiting {
		c.done <- err
	}
}

// publish applies the durable events of a batch to the state that readers see, and wakes them.
func (w *writer) publish(b *batch, at engine.Mark, data []byte) {
	w.mu.Lock()
	for _, e := range b.events {
		if err := w.state.Apply(b.at, e); err != nil {
			w.Node.Logger.Error("the log contradicts itself", slog.Any("error", err))
		}
	}
	w.state.Written(at.Seq, at.Hash, b.events)
	w.since = time.Now()
	w.tellChanged()
	recorded, more := w.onlyResults(b.events)
	w.mu.Unlock()
	w.noteUnplayed(b.events)
	w.feed.add(league.Happened{Seq: w.seq, At: b.at.UTC().Round(0), Events: b.events})
	if err := w.log.Publish("league."+w.opts.LeagueID, data); err != nil {
		w.Node.Logger.Warn("an event was not published", slog.Any("error", err))
	}
	if w.sawResults(recorded); more {
		w.kick()
	}
}

// onlyResults lists the matches that got a result by events. more is true if other events require the conductor to scan
// the whole league. The caller holds the lock of the ledger.
func (w *writer) onlyResults(events []league.Event) (recorded []string, more bool) {
	for _, e := range events {
		switch e := e.(type) {
		case league.DialectLearned:
		case league.ResultRecorded:
			recorded = append(recorded, e.Match)
			// Matches whose result the manager announces need a scan.
			more = more || e.Attempt == 0 || w.state.ByMoves(w.state.Matches[e.Match])
		default:
			more = true
		}
	}
	return recorded, more
}

// noteUnplayed warns of the technical losses in matches that were never played, once per player: a player that leaves
// a large league causes many.
func (w *writer) noteUnplayed(events []league.Event) {
	lost := map[string][]league.ResultRecorded{}
	for _, e := range events {
		r, is := e.(league.ResultRecorded)
		if !is || r.Attempt > 0 {
			continue
		}
		for player := range r.Result.Forfeits {
			lost[player] = append(lost[player], r)
		}
	}
	for _, player := range slices.Sorted(maps.Keys(lost)) {
		first := lost[player][0]
		what := first.Match
		if more := len(lost[player]) - 1; more > 0 {
			what = fmt.Sprintf("%s and %d more", first.Match, more)
		}
		code := first.Result.Forfeits[player]
		w.note(slog.LevelWarn, protocol.TechnicalLoss,
			fmt.Sprintf("%s loses %s by technical loss: %s", player, what, protocol.ForfeitMeaning(code)),
			slog.String("match_id", first.Match), slog.String("player_id", player), slog.String("error_code", code),
			slog.Int("matches_count", len(lost[player])))
	}
}

// reload rebuilds the durable and the working state from the log.
func (w *writer) reload() error {
	durable, seq, err := foldAll(w.log.Read(w.ctx, w.opts.LeagueID, 0))
	if err != nil {
		return err
	}
	w.seq, w.work, w.look = seq, durable.Clone(), true
	w.mu.Lock()
	w.state, w.since = durable, time.Now()
	w.tellChanged()
	w.mu.Unlock()
	w.feed.reset(seq)
	return nil
}
