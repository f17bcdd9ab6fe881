package manager

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"agentleague/engine"
	"agentleague/league"
	"agentleague/protocol"
)

// A full disk or a missing log pauses the league. The log cannot record this pause, since it is not writable: the
// manager keeps it in memory and ends it automatically.

// Bounds of the backoff between two checks whether a paused league can continue.
const (
	minRoomBackoff = time.Second
	maxRoomBackoff = 8 * time.Second
)

// Intervals of the checks for free space and of the log's health.
const (
	roomInterval     = 2 * time.Second
	logCheckInterval = 900 * time.Millisecond
)

// A rest describes a pause that a failure causes, such as a full disk.
type rest struct {
	why   string // a sentence: the problem and the remedy
	over  string // the log message at its end
	asked error  // the answer to commands during the pause
}

// The errors for clients do not name the disk and the log, whose locations concern only the operator.
var (
	errFull = protocol.Errorf(protocol.Internal,
		"the manager's disk is full and nothing can be recorded; try again").Pass()
	errAway = protocol.Errorf(protocol.Internal,
		"the manager's log is missing and nothing can be recorded; try again").Pass()
)

// restOf returns the pause that err causes: a full disk and a missing log cause one. For any other error rests is
// false.
func restOf(err error) (r rest, rests bool) {
	var full *engine.FullError
	var away *engine.AwayError
	switch {
	case errors.As(err, &full):
		return rest{full.Place + " is full: free some space, and the league continues by itself",
			"there is space again: the league continues", errFull}, true
	case errors.As(err, &away):
		return rest{fmt.Sprintf("%s %s: put it back as it was, and the league continues by itself",
			away.Place, away.What),
			"the log is back: the league continues", errAway}, true
	}
	return rest{}, false
}

// canPass reports whether a failure is temporary, so that it pauses the league instead of ending the manager.
func canPass(err error) bool {
	_, rests := restOf(err)
	return rests
}

// An outage holds the current pause that a failure causes; the zero rest means none.
type outage struct {
	mu  sync.Mutex
	now rest
}

// swap sets the current pause to now and returns the previous one.
func (o *outage) swap(now rest) (was rest) {
	o.mu.Lock()
	defer o.mu.Unlock()
	was, o.now = o.now, now
	return was
}

// rest returns the current pause, or the zero rest.
func (l *ledger) rest() rest {
	l.outage.mu.Lock()
	defer l.outage.mu.Unlock()
	return l.outage.now
}

// pauseReason returns a sentence with the failure that pauses the league and the remedy, or "".
func (l *ledger) pauseReason() (sentence string) { return l.rest().why }

// logProblem returns a sentence if the log is missing or was changed, or "" if it is intact.
func (l *ledger) logProblem() string {
	if r := l.rest(); r.asked == errAway {
		return r.why
	}
	return ""
}

// watchRoom polls Options.Room and pauses the league while the disk is full, even if its log can still be written: a
// referee on the same disk may be affected.
func (l *ledger) watchRoom() {
	for over := false; !over && l.Node.Sleep(l.ctx, "watch room", roomInterval) == nil; {
		if l.pauseReason() == "" {
			l.halt(l.opts.Room())
		}
		l.Read(func(s *league.State) { over = s.Completed() })
	}
}

// watchLog polls Options.Intact and pauses the league while its log is missing, even if no event is due.
func (l *ledger) watchLog() {
	for l.Node.Sleep(l.ctx, "watch log", logCheckInterval) == nil {
		if l.pauseReason() == "" {
			l.halt(l.opts.Intact())
		}
	}
}

// lookAt pauses the league if room is an error, which reports a full disk, or if the log is missing. A full disk does
// not pause a finished league.
func (l *ledger) lookAt(room error) {
	if l.pauseReason() != "" {
		return
	}
	over := false
	l.Read(func(s *league.State) { over = s.Completed() })
	if room != nil && !over {
		l.halt(room)
		return
	}
	if l.opts.Intact != nil {
		l.halt(l.opts.Intact())
	}
}

// halt pauses the league if err is a temporary failure, until that failure has passed. It logs the pause once.
func (l *ledger) halt(err error) {
	now, rests := restOf(err)
	if !rests {
		return
	}
	was := l.outage.swap(now)
	if was.why != now.why {
		l.Node.Logger.Error(now.why, slog.String("league_id", l.opts.LeagueID), slog.Any("error", err))
	}
	if was.why == "" {
		l.running.Go(l.awaitRoom)
	}
}

// awaitRoom retries a write until it succeeds. The written event marks that the league continues.
func (l *ledger) awaitRoom() {
	again := func(*league.State) ([]league.Event, error) {
		return []league.Event{league.Epoch{Holder: l.opts.Holder, Version: l.opts.Version}}, nil
	}
	for pause := minRoomBackoff; l.Node.Sleep(l.ctx, "room", pause) == nil; pause = min(2*pause, maxRoomBackoff) {
		if l.opts.Room != nil && l.opts.Room() != nil {
			continue
		}
		err := l.ask(l.ctx, &command{decide: again, looks: true, done: make(chan error, 1)})
		if err == nil {
			return
		}
		l.halt(err) // it may be for another reason by now
	}
}

// goOn ends the pause.
func (l *ledger) goOn() {
	was := l.outage.swap(rest{})
	l.warn(was.over)
	l.kick()
}
