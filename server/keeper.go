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

// A keeper has each league open on the manager whose it is, and on no other:
//
//	the cluster's word changes ─┐
//	a manager ends by itself ───┴─▶ adjust(league): open it, close it, or leave it
//
// One goroutine works on a league at a time, and none while there is nothing to do.
type keeper struct {
	mu      sync.Mutex
	working map[string]bool   // true: something has changed since it last looked
	owners  map[string]string // whose each league was at the last look, by address
}

// openAgain is how long the keeper rests after a league could not be opened, and openAgainMost how long when that goes
// on.
const (
	openAgain     = 100 * time.Millisecond
	openAgainMost = 2 * time.Second
)

// follow does what the cluster says, until the server ends.
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

// look takes up what the cluster says: which leagues there are, how they are set up, whose they are.
func (s *shared) look() {
	for _, l := range s.member.Leagues() {
		s.learn(l)
		if was, is := s.noteOwner(l); was != is || s.opened(l.ID) != nil {
			s.adjust(l.ID)
		}
	}
}

// learn gives a league its place here, with the word on whether it is put away, and the root its settings.
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

// noteOwner notes whose a league is, and returns whose it was, by their addresses.
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

// from says from whom a league was taken over.
func from(address string) string {
	if address == "" {
		return ""
	}
	return " from " + address
}

// tell says something at the terminal and in the log.
func (s *shared) tell(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	s.logger.Info(line, slog.String("event_type", "LEAGUE_MOVED"))
	s.say(line)
}

// adjust has a league looked at, now or when whoever works on it is done.
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

// work opens or closes a league until it is as it should be.
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

// done ends the work on a league unless something has changed meanwhile.
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

// arrange opens a league that is ours and is played, and closes one that is not, or whose manager has ended.
func (s *shared) arrange(id string) error {
	s.place(id).rest(s.life) // somebody who asked for the league may be opening it
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

// ended reports whether the manager of a league runs no longer.
func ended(l *League) bool {
	select {
	case <-l.Manager.Ended():
		return true
	default:
		return false
	}
}

// watch tells the cluster when a league is over, and has it opened anew when its manager has ended by itself: since
// another has written its log, or nobody could.
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

// forgive lets a league that could not be opened be tried again at once.
func (p *place) forgive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = nil
}
