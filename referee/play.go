package referee

import (
	"context"
	"log/slog"

	"agentleague/game"
	"agentleague/protocol"
)

// play runs the match to its end and returns once the record is stored. A player's failure is part of the result; the
// returned error is a failure of the referee.
func (m *match) play() (*Finished, error) {
	defer m.stop(nil)
	ctx, cancel := m.bounded()
	defer cancel()
	m.enter(protocol.WaitingForPlayers)
	m.stage(ctx, m.seats, m.invitation())
	for !m.over() {
		m.enter(protocol.CollectingChoices)
		answers := m.stage(ctx, m.toMove(), m.choice())
		if m.over() {
			m.keepUnplayed(answers)
			break
		}
		if err := m.apply(answers); err != nil {
			return nil, err
		}
	}
	if err := context.Cause(&m.life); err != nil {
		return nil, err
	}
	return m.finish(&m.life)
}

// bounded returns a context that ends with the match or at the time limit of its game, whichever is first.
func (m *match) bounded() (context.Context, context.CancelFunc) {
	if limit := m.env.opts.Policy.limit(m.start.GameType); limit > 0 {
		return context.WithTimeout(&m.life, limit)
	}
	return &m.life, func() {}
}

// finish computes the result, or if the manager draws requests it from there, and records it.
func (m *match) finish(ctx context.Context) (*Finished, error) {
	m.mu.Lock()
	if m.key == nil && !m.forfeited() {
		m.mu.Unlock()
		return m.undecided(ctx)
	}
	result := m.outcome()
	m.noteFailure()
	m.mu.Unlock()
	return m.conclude(ctx, result)
}

// noteFailure logs an error in the rules of the game, which only the organiser can fix. The players see the error in
// the result. The caller holds the lock.
func (m *match) noteFailure() {
	rules, ok := m.state.(game.Failing)
	if !ok || m.forfeited() {
		return
	}
	if err := rules.Failed(); err != nil {
		m.env.node.Logger.Error("the rules of the game failed; the match is a draw", slog.String("match_id", m.start.MatchID),
			slog.String("game_type", m.start.GameType), slog.Any("error", err))
	}
}
