package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"agentleague/cluster"
)

// A keeper has each league open on the manager that owns it, and on no other:
//
//	the cluster reassigns a league ─┐
//	a manager ends unasked ─────────┴─▶ adjust(league): open it, close it, or leave it
//
// One goroutine works on a league at a time, and none while there is no work.
type keeper struct {
	mu      sync.Mutex
	working map[string]bool   // true: the league changed after the last pass
	owners  map[string]string // the owner's address of each league at the last pass
}

// openAgain is the initial backoff after a league could not be opened, and openAgainMost its maximum.
const (
	openAgain     = 100 * time.Millisecond
	openAgainMost = 2 * time.Second
)

// follow applies the cluster's changes until the server ends.
func (s *shared) follow() {
	for {
		changed := s.member.Changed()
		s.look()
		select {
		case <-changed:
		case <-s.life.Done():
			return
		}
	}
}

// look applies the cluster's current state: its leagues, their settings and their owners.
func (s *shared) look() {
	for _, l := range s.member.Leagues() {
		s.learn(l)
		if was, is := s.noteOwner(l); was != is || s.opened(l.ID) != nil {
			s.adjust(l.ID)
		}
	}
}

// learn registers a league of the cluster, with its archived flag, and writes its settings to the root.
func (s *shared) learn(l cluster.League) {
	changed, err := s.env.KeepLeague(l.ID, l.Settings)
	if err != nil {
		s.logger.Error("the settings of a league cannot be written", slog.String("league_id", l.ID), slog.Any("error", err))
		return
	}
	if changed {
		s.logger.Info("the settings of a league are replaced by those of the cluster", slog.String("league_id", l.ID))
	}
	s.add(l.ID, func() (*League, error) { return s.open(l.ID) })
	s.place(l.ID).archive(l.Archived)
}

// noteOwner records the owner of a league and returns the addresses of its former and present owner.
func (s *shared) noteOwner(l cluster.League) (was, is string) {
	k := &s.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.owners == nil {
		k.owners, k.working = map[string]string{}, map[string]bool{}
	}
	was, is = k.owners[l.ID], s.member.Address(l.Owner)
	if is != "" {
		k.owners[l.ID] = is
	}
	if is == s.base && was != is {
		s.tell("Took over %s%s", l.ID, from(was))
	}
	if was == s.base && is != "" && is != was {
		s.tell("Handed %s on to %s", l.ID, is)
	}
	return was, is
}

// from formats the former owner of a league for a log line; an empty address gives "".
func from(address string) string {
	if address == "" {
		return ""
	}
	return " from " + address
}

// tell prints a line at the terminal and in the log.
func (s *shared) tell(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	s.logger.Info(line, slog.String("event_type", "LEAGUE_MOVED"))
	s.say(line)
}

// adjust schedules work on a league, now or after the pass in progress.
func (s *shared) adjust(id string) {
	k := &s.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, busy := k.working[id]; busy {
		k.working[id] = true
		return
	}
	k.working[id] = false
	s.background.Go(func() { s.work(id) })
}

// work opens or closes a league until it is in the desired state.
func (s *shared) work(id string) {
	pause := openAgain
	for s.life.Err() == nil {
		err := s.arrange(id)
		if err == nil && s.done(id) || errors.Is(err, errClosing) {
			return
		}
		if err == nil {
			pause = openAgain
			continue
		}
		s.logger.Warn("a league cannot be opened yet", slog.String("league_id", id), slog.Any("error", err))
		await(s.life.Done(), pause)
		pause = min(2*pause, openAgainMost)
	}
}

// done ends the work on a league unless it changed concurrently.
func (s *shared) done(id string) bool {
	k := &s.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.working[id] {
		k.working[id] = false
		return false
	}
	delete(k.working, id)
	return true
}

// arrange opens a league that is ours and is played, and closes a league that is not ours or has an ended manager.
func (s *shared) arrange(id string) error {
	s.place(id).rest(s.life) // a request for the league may be opening it
	known, _ := s.member.League(id)
	_, mine, _ := s.member.Owner(id)
	if l := s.opened(id); l != nil && (!mine || ended(l)) {
		if err := s.release(id); err != nil && !errors.Is(err, errClosing) {
			s.logger.Warn("a league was not closed cleanly", slog.String("league_id", id), slog.Any("error", err))
		}
	}
	if !mine || known.Over || known.Archived || s.opened(id) != nil {
		return nil
	}
	s.place(id).forgive()
	_, err := s.visit(id)
	return err
}

// rest waits until the league is neither being opened nor closed.
func (p *place) rest(ctx context.Context) {
	p.mu.Lock()
	moving := p.moving
	p.mu.Unlock()
	if moving == nil {
		return
	}
	select {
	case <-moving:
	case <-ctx.Done():
	}
}

// ended reports whether the manager of a league has ended.
func ended(l *League) bool {
	select {
	case <-l.Manager.Ended():
		return true
	default:
		return false
	}
}

// watch reports to the cluster that a league is over. If the league's manager has ended without a request, because
// another wrote its log or its log was not writable, watch schedules its opening.
func (s *shared) watch(l *League) {
	select {
	case <-l.Manager.Done():
		l.Manager.Settle(l.life)
		if err := s.member.Over(s.life, l.ID()); err != nil && s.life.Err() == nil {
			s.logger.Warn("the cluster was not told that a league is over", slog.String("league_id", l.ID()), slog.Any("error", err))
		}
		<-l.Manager.Ended()
	case <-l.Manager.Ended():
	}
	if s.opened(l.ID()) == l {
		s.adjust(l.ID())
	}
}

// forgive allows an immediate retry for a league that could not be opened.
func (p *place) forgive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = nil
}
