package referee

import (
	"context"

	"agentleague/protocol"
)

// play runs the match to its end and returns once that is on record. A player's
// failure is part of the result; an error is the referee's own.
func (m *match) play() (Finished, error) {
	defer m.stop(nil)
	ctx := m.ctx
	if limit := m.env.opts.Policy.limit(m.start.GameType); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	m.enter(protocol.WaitingForPlayers)
	m.stage(ctx, m.seats, m.invitation())
	for !m.over() {
		m.enter(protocol.CollectingChoices)
		answers := m.stage(ctx, m.toMove(), m.choice())
		if m.over() {
			m.keep(answers)
			break
		}
		if err := m.apply(answers); err != nil {
			return Finished{}, err
		}
	}
	if err := context.Cause(m.ctx); err != nil {
		return Finished{}, err
	}
	return m.finish(m.ctx)
}

// finish works out the result and puts it on record. Of a match whose draw is
// the manager's, the manager does the former.
func (m *match) finish(ctx context.Context) (Finished, error) {
	m.mu.Lock()
	if m.key == nil && !m.forfeited() {
		m.mu.Unlock()
		return m.undecided(ctx)
	}
	result := m.outcome()
	m.mu.Unlock()
	return m.conclude(ctx, result)
}
