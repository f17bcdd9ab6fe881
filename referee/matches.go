package referee

import (
	"sync"

	"agentleague/protocol"
)

// A matchTable holds the newest attempt at each match, in play or finished.
type matchTable struct {
	mu       sync.Mutex
	byKey    map[matchKey]*match
	told     []*match // those whose result is reported, oldest first
	busy     int      // matches in play
	draining bool     // no further match is accepted
}

// A matchKey identifies a match. Match ids such as R1M1 repeat in each league that the referee serves.
type matchKey struct{ league, match string }

func keyOf(start *protocol.StartMatch) matchKey { return matchKey{start.LeagueID, start.MatchID} }

// newest returns the newest attempt at a match, or nil.
func (t *matchTable) newest(key matchKey) *match {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byKey[key]
}

// overtaken returns an error if the ordered attempt is older than the newest one.
func overtaken(newest *match, start *protocol.StartMatch) error {
	if newest == nil || newest.start.Attempt <= start.Attempt {
		return nil
	}
	return protocol.Errorf(protocol.OutOfTurn, "attempt %d at %s has been replaced by attempt %d", start.Attempt,
		start.MatchID, newest.start.Attempt)
}

// drain refuses every further match.
func (t *matchTable) drain() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.draining = true
}

// refuses reports whether an order is refused because the referee is draining. Orders for an attempt in play are not
// refused. The caller holds the lock.
func (t *matchTable) refuses(start *protocol.StartMatch) bool {
	m := t.byKey[keyOf(start)]
	return t.draining && (m == nil || m.ended || m.start.Attempt != start.Attempt)
}

// enter adds a match to the table, as one in play. The caller holds the lock.
func (t *matchTable) enter(m *match) {
	t.byKey[keyOf(m.start)] = m
	t.busy++
}

// leave marks a match as no longer in play. If it was not recorded it is removed, so that it can be started again.
func (t *matchTable) leave(m *match, recorded bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy--
	m.ended = true
	if !recorded && t.byKey[keyOf(m.start)] == m {
		delete(t.byKey, keyOf(m.start))
	}
}

// maxTold is the number of reported matches that are kept for get_match_state.
const maxTold = 128

// settle frees the transcript of a match once its result is reported, and evicts the oldest reported match above
// maxTold.
func (t *matchTable) settle(start *protocol.StartMatch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.byKey[keyOf(start)]
	if m == nil || m.start.Attempt != start.Attempt || !m.settle() {
		return
	}
	t.told = append(t.told, m)
	if len(t.told) <= maxTold {
		return
	}
	oldest := t.told[0]
	t.told = t.told[1:]
	if t.byKey[keyOf(oldest.start)] == oldest {
		delete(t.byKey, keyOf(oldest.start))
	}
}
