package cli

import (
	"context"
	"fmt"
	"sync"

	"agentleague/host"
	"agentleague/internal/term"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/seat"
	"agentleague/web"
)

// console is a strategy that prints the results of its matches and of the league.
type console struct {
	player.Strategy
	app *app

	mu sync.Mutex
	id string // "": not registered yet; matches learned now are past ones
}

// Learn prints the result of a match.
func (s *console) Learn(m protocol.PlayerMatch) {
	if l, ok := s.Strategy.(player.Learner); ok {
		l.Learn(m)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id != "" {
		s.tell(seat.Over(&m))
		s.bill(m.Usage)
	}
}

// bill describes a match's use of a language model; nil: none.
func (s *console) bill(u *protocol.Usage) {
	if u == nil {
		return
	}
	v := web.UsageView{Usage: *u}
	text := fmt.Sprintf("It asked %s: %s", v.Name(), v.Tokens())
	if cost := v.Cost(); cost != "" {
		text += ", " + cost
	}
	fmt.Fprintln(s.app.err, term.Plain(text+"; "+v.Wait()+"; "+v.Share()+"."))
}

// Hear prints the result of the league. Complaints of referees and the manager are in the log, which is shown too.
func (s *console) Hear(m protocol.Message) {
	if l, ok := s.Strategy.(player.Listener); ok {
		l.Hear(m)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := m.(type) {
	case *protocol.LeagueRegisterResponse:
		if m.PlayerID != nil {
			s.id = *m.PlayerID
		}
	case *protocol.LeagueCompleted:
		s.tell(seat.Final(m, s.id))
		if m.NextLeagueID != "" {
			fmt.Fprintln(s.app.err, term.Plain("It plays on in the next season, "+m.NextLeagueID+"."))
		}
	}
}

// Close closes the strategy.
func (s *console) Close() error { return host.CloseStrategy(s.Strategy) }

func (s *console) tell(n seat.News) { fmt.Fprintln(s.app.err, n.Text) }

// consoleRecorder is a recorder that prints the results of its referee's matches, once they are stored.
type consoleRecorder struct {
	referee.Recorder
	app *app
}

// Record stores a match and prints its result.
func (r *consoleRecorder) Record(ctx context.Context, f *referee.Finished) error {
	if err := r.Recorder.Record(ctx, f); err != nil {
		return err
	}
	m := &f.Record
	text := fmt.Sprintf("%s, %s against %s: %s", m.MatchID, m.PlayerAID, m.PlayerBID, verdict(m.Result, term.Brief))
	fmt.Fprintln(r.app.err, term.Plain(text))
	return nil
}
