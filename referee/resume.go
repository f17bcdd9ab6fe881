package referee

import (
	"context"
	"errors"
	"fmt"

	"agentleague/game"
	"agentleague/protocol"
)

// resumeAll takes up the matches of a league that an earlier run has played to
// their last move, with the manager that the referee has now.
func (r *Referee) resumeAll(ctx context.Context, league, manager string) error {
	for f, err := range r.opts.Undecided.All(ctx) {
		if err != nil {
			return fmt.Errorf("read undecided matches: %w", err)
		}
		if f.Record.LeagueID != league {
			continue
		}
		if _, err := r.opts.Recorder.Document(ctx, f.Record.Ref()); !errors.Is(err, ErrNoRecord) {
			if err = errors.Join(err, r.opts.Undecided.Remove(ctx, f.Record.Ref())); err != nil {
				return err
			}
			continue // it was decided: its record is announced instead
		}
		f.Start.ReportTo = manager
		if _, err := r.resume(&f); err != nil {
			return err
		}
	}
	return nil
}

// waiting returns the match of an order to a guest if its moves are kept: it is
// not played again. The players may have moved since.
func (r *Referee) waiting(ctx context.Context, start *protocol.StartMatch) (*Finished, bool, error) {
	if start.DrawKey != "" {
		return nil, false, nil
	}
	ref := protocol.RecordRef{LeagueID: start.LeagueID, MatchID: start.MatchID, Attempt: start.Attempt}
	for f, err := range r.opts.Undecided.All(ctx) {
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

// resume lets the manager decide a match with stored moves, unless that is under way.
func (r *Referee) resume(f *Finished) (status string, err error) {
	rules, err := r.games(f.Record.GameType)
	if err != nil {
		return "", protocol.Errorf(protocol.UnsupportedGame, "%v", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.matches[keyOf(&f.Start)]; old != nil && old.start.Attempt >= f.Start.Attempt {
		return protocol.Accepted, nil
	}
	if r.leaving(&f.Start) {
		return protocol.Busy, nil
	}
	m, err := restored(r.env, rules, f)
	if err != nil {
		return "", protocol.Errorf(protocol.Internal, "%v", err)
	}
	r.enter(m, func() (*Finished, error) {
		defer m.stop(nil)
		return m.decide(&m.life, f)
	})
	return protocol.Accepted, nil
}

// restored returns a match as it was when its moves were kept.
func restored(e *env, rules game.Game, f *Finished) (*match, error) {
	rec := &f.Record
	m, err := newMatch(e, rules, &f.Start)
	if err != nil {
		return nil, fmt.Errorf("match %s: %w", rec.MatchID, err)
	}
	m.lifecycle, m.phase = rec.Lifecycle, rec.Lifecycle.State
	m.transcript.set(rec.Transcript)
	m.tries, m.moves = rec.Tries, rec.Moves
	m.commitment = rec.Fairness.Commitment
	for _, s := range m.seats {
		s.joined, s.conversation = true, conversationOf(rec, s.ID)
		if said, ok := rec.Signed[s.ID]; ok {
			s.signer = &signer{said: said}
		}
	}
	for _, mv := range rec.Moves {
		m.turn = max(m.turn, mv.Turn+1)
	}
	return m, nil
}

// conversationOf finds the conversation in which a player was invited.
func conversationOf(rec *protocol.MatchRecord, player string) string {
	for _, e := range rec.Transcript {
		if e.MessageType != protocol.TypeGameInvitation || e.To != protocol.Sender(protocol.RolePlayer, player) {
			continue
		}
		if m, _, err := protocol.Decode(e.Message, protocol.Reading{Type: e.MessageType}); err == nil {
			return m.Head().ConversationID
		}
	}
	return ""
}
