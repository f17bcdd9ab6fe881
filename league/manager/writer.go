package manager

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"agentleague/engine"
	"agentleague/league"
	"agentleague/protocol"
)

// A batch has at most so many commands, and about so many bytes.
const (
	maxBatch = 256
	maxBytes = 512 << 10
)

// A command asks for a change of the league.
type command struct {
	decide func(s *league.State) ([]league.Event, error)
	looks  bool // for room: it is tried although the league rests
	done   chan error
}

// do has a change decided and written, and returns once it is durable. An
// error of decide comes back as it is.
func (m *Manager) do(ctx context.Context, decide func(s *league.State) ([]league.Event, error)) error {
	return m.ask(ctx, &command{decide: decide, done: make(chan error, 1)})
}

// ask has a command served.
func (m *Manager) ask(ctx context.Context, c *command) error {
	select {
	case m.commands <- c:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-m.ctx.Done():
		return context.Cause(m.ctx)
	}
	select {
	case err := <-c.done:
		return err
	case <-m.ctx.Done():
		return context.Cause(m.ctx)
	}
}

// A writer is the one goroutine that writes a league's log.
type writer struct {
	m   *Manager
	seq uint64
	// work is the state with everything decided, durable or not. Nobody else sees it.
	// There is none while the league rests and the log cannot be read again.
	work *league.State
	// look says that something has happened that more than the end of a round may follow from.
	look bool
}

// A batch is what goes into the log at once.
type batch struct {
	at      time.Time
	events  []league.Event
	entries []league.EncodedEvent
	size    int
	waiting []*command
	answers []error
	looks   bool // a command in it looks for room
}

func (b *batch) full() bool { return len(b.waiting) >= maxBatch || b.size >= maxBytes }

// run takes commands, as many at a time as there are, until ctx ends.
func (w *writer) run(ctx context.Context) {
	for {
		select {
		case c := <-w.m.commands:
			w.serve(c)
		case <-ctx.Done():
			return
		}
	}
}

// serve decides a command and all that are queued behind it, writes their
// events at once, and answers everyone.
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
		w.m.goOn()
	}
	for i, c := range b.waiting {
		c.done <- b.answers[i]
	}
}

// ready refuses a command while the league rests.
func (w *writer) ready(c *command) error {
	if r := w.m.rest(); r.why != "" && !c.looks {
		return r.asked
	}
	if w.work != nil {
		return nil
	}
	err := w.reload()
	if err != nil && !canPass(err) {
		w.m.stop(fmt.Errorf("the log could not be read again: %w", err))
	}
	return err
}

// poll returns the next queued command, if there is one and the batch has room.
func (w *writer) poll(b *batch) *command {
	if b.full() {
		return nil
	}
	select {
	case c := <-w.m.commands:
		return c
	default:
		return nil
	}
}

// add applies decided events to the working state and puts them into the batch.
func (w *writer) add(b *batch, events []league.Event) error {
	if b.at.IsZero() {
		b.at = w.now()
	}
	for _, e := range events {
		if w.work.Completed() && !league.Afterwards(e) {
			continue // the league's last word is said
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
		w.look = w.look || moves(e)
	}
	return nil
}

// now is the time, or that of the newest event while a clock that was set back
// is behind it: in a log time does not run backwards.
func (w *writer) now() time.Time {
	if now := time.Now(); now.After(w.work.At()) {
		return now
	}
	return w.work.At()
}

// moves reports whether matches may have to be given to another referee, or
// cannot be played, after an event. Of the events that every match has none is
// such: they are not worth a look at all the matches of the round.
func moves(e league.Event) bool {
	switch e.(type) {
	case league.ResultRecorded, league.Announced, league.DialectLearned:
		return false
	}
	return true
}

// commit appends a batch and what follows from it, and makes it visible once it is durable.
func (w *writer) commit(b *batch) error {
	for w.look || w.work.Left() == 0 {
		next := league.Advance(w.work, w.m.keepBack, hex.EncodeToString(w.m.drawSecret))
		if len(next) == 0 {
			w.look = false
			break
		}
		if err := w.add(b, next); err != nil {
			return err
		}
	}
	if len(b.events) == 0 {
		return nil
	}
	if w.m.resting.Load() {
		if err := w.add(b, []league.Event{league.Epoch{Holder: w.m.opts.Holder}}); err != nil {
			return err
		}
	}
	data, err := json.Marshal(b.entries)
	if err != nil {
		return err
	}
	mark, err := w.m.log.Append(w.m.ctx, w.m.opts.LeagueID, w.seq, data)
	if err != nil {
		return err
	}
	w.seq = mark.Seq
	w.work.Written(mark.Seq, mark.Hash, b.events)
	w.m.resting.Store(false)
	w.publish(b, mark, data)
	return nil
}

// afterFailure is how long nothing is written after a failure. Whatever was
// due is tried again at once, and a full disk would be tried without end.
const afterFailure = time.Second

// fail answers a batch that was not written, or of which that is not known.
// The state is thrown away: only the log tells what is durable.
func (w *writer) fail(b *batch, err error) {
	if !canPass(err) {
		w.m.Node.Logger.Error("the log could not be written", slog.String("league_id", w.m.opts.LeagueID), slog.Any("error", err))
	}
	if errors.Is(err, engine.ErrFenced) {
		w.m.stop(fmt.Errorf("another manager has taken the league over: %w", err))
	} else if again := w.reload(); canPass(again) {
		w.work, err = nil, again
	} else if again != nil {
		w.m.stop(fmt.Errorf("the log could not be read again: %w", again))
	}
	w.m.locked(func(v *volatile) { clear(v.kept) })
	if r, rests := restOf(err); rests {
		w.m.halt(err)
		b.answer(r.asked)
		return
	}
	b.answer(protocol.Errorf(protocol.Internal, "the log could not be written; ask again").Pass())
	w.m.kick()
	_ = w.m.Node.Sleep(w.m.ctx, "log failure", afterFailure)
}

// answer gives everyone the same.
func (b *batch) answer(err error) {
	for _, c := range b.waiting {
		c.done <- err
	}
}

// publish lets everybody see events that are durable.
func (w *writer) publish(b *batch, at engine.Mark, data []byte) {
	w.m.mu.Lock()
	for _, e := range b.events {
		if err := w.m.state.Apply(b.at, e); err != nil {
			w.m.Node.Logger.Error("the log contradicts itself", slog.Any("error", err))
		}
	}
	w.m.state.Written(at.Seq, at.Hash, b.events)
	w.m.tellChanged()
	w.m.mu.Unlock()
	w.m.feed.add(Happened{w.seq, b.at.UTC().Round(0), b.events})
	if err := w.m.log.Publish("league."+w.m.opts.LeagueID, data); err != nil {
		w.m.Node.Logger.Warn("an event was not published", slog.Any("error", err))
	}
	w.m.kick()
}

// reload makes both states anew from the log.
func (w *writer) reload() error {
	durable, seq, err := foldAll(w.m.log.Read(w.m.ctx, w.m.opts.LeagueID, 0))
	if err != nil {
		return err
	}
	w.seq, w.work, w.look = seq, durable.Clone(), true
	w.m.mu.Lock()
	w.m.state = durable
	w.m.tellChanged()
	w.m.mu.Unlock()
	w.m.feed.reset(seq)
	return nil
}
