package player

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"agentleague/protocol"
)

// A memory is what a player knows of its past matches. Guarded by its agent.
type memory struct {
	past func(player string) ([]protocol.PlayerMatch, error) // finds what it remembers from before; nil: nothing
	// is told of the whole history after each match; nil: nobody is
	keep     func(player string, history []protocol.PlayerMatch) error
	most     int // how many matches are remembered; 0: all
	strategy Strategy
	log      *slog.Logger

	history  []protocol.PlayerMatch
	trust    map[string]trust // what stands behind the results, by match
	recalled bool             // what it remembers from before is in history
	before   int              // how many that were
}

// heard reports whether this very result of the player is known already.
func (m *memory) heard(me self, over *protocol.GameOver) bool {
	return m.mayKnow(over.MatchID) && slices.ContainsFunc(m.history, func(e protocol.PlayerMatch) bool {
		return e.MatchID == over.MatchID && e.Attempt == max(over.Attempt, 1) && e.Result == me.resultFor(over)
	})
}

// recalls reports whether the player knows this very result from before it was started. One that it learned of its
// manager since, because its referee was late, nobody has looked at.
func (m *memory) recalls(me self, over *protocol.GameOver) bool {
	return m.before > 0 && m.trust[over.MatchID] == fromBefore && m.heard(me, over)
}

// entryFor is the result of a match as its player remembers it.
func entryFor(me self, over *protocol.GameOver) protocol.PlayerMatch {
	e := protocol.PlayerMatch{
		MatchID: over.MatchID, RoundID: over.RoundID, Timestamp: protocol.Stamp(time.Now()),
		OpponentID: cmp.Or(over.OpponentID, me.opponent),
		Result:     me.resultFor(over), PointsEarned: me.pointsFor(over),
		DrawnNumber: protocol.ToldIn(cmp.Or(over.GameType, protocol.EvenOdd), over.GameResult.DrawnNumber.Value),
		Attempt:     max(over.Attempt, 1),
		MyChoice:    over.YourChoice, OpponentChoice: over.OpponentChoice,
	}
	own, other := me.sides(over.GameResult.Choices)
	if e.MyChoice == nil {
		e.MyChoice = own
	}
	if e.OpponentChoice == nil {
		e.OpponentChoice = other
	}
	return e.Clone() // it is remembered for long, the message is not
}

// A trust is what stands behind a result in the history.
type trust int

const (
	fromBefore trust = iota // it was recalled
	doubtful                // somebody said so
	settled                 // our manager, or a referee of its, said so
)

// remember keeps a result, teaches the strategy and tells whoever stores the
// history. What is sure stands against what is not, and a newer attempt against
// an older; of what is not sure the newest counts, whatever attempt it names.
func (m *memory) remember(player string, e protocol.PlayerMatch, sure bool) {
	i := m.find(e.MatchID)
	switch was := m.trust[e.MatchID]; {
	case !sure && was == settled, sure && was != doubtful && i >= 0 && e.Attempt < m.history[i].Attempt:
		return
	case i < 0:
		m.history = m.newest(append(m.history, e))
	default:
		m.history = slices.Clone(m.history) // who was told of it keeps what it was told
		if e.Usage == nil {
			e.Usage = m.history[i].Usage // what was spent stays so, however the match ends
		}
		m.history[i] = e
	}
	behind := doubtful
	if sure {
		behind = settled
	}
	put(&m.trust, e.MatchID, behind)
	m.learn(e)
	if m.keep == nil || m.past != nil && !m.recalled { // what is not read yet is not written over
		return
	}
	if err := m.keep(player, slices.Clip(m.history)); err != nil {
		m.log.Error("the history could not be saved", slog.Any("error", err))
	}
}

// catchUp remembers the result of a match of which the player was not told.
func (m *memory) catchUp(player string, e protocol.PlayerMatch) {
	if m.find(e.MatchID) < 0 {
		m.remember(player, e, true)
	}
}

// find returns where in the history a match is, or -1. It looks through it only for one that may be there: a history is
// as long as the league, and most matches are new.
func (m *memory) find(match string) int {
	if !m.mayKnow(match) {
		return -1
	}
	return slices.IndexFunc(m.history, func(was protocol.PlayerMatch) bool { return was.MatchID == match })
}

// mayKnow reports whether a match may be in the history. Without one from before those are in it that were told since.
func (m *memory) mayKnow(match string) bool {
	_, told := m.trust[match]
	return told || m.before > 0
}

// full reports whether as many matches are remembered as may be.
func (m *memory) full() bool { return m.most > 0 && len(m.history) >= m.most }

// newest returns as much of a history as is remembered.
func (m *memory) newest(past []protocol.PlayerMatch) []protocol.PlayerMatch {
	if m.most > 0 && len(past) > m.most {
		return slices.Clone(past[len(past)-m.most:]) // who was told of the rest may have it; it is not kept for that
	}
	return past
}

// learn teaches the strategy, if it learns.
func (m *memory) learn(e protocol.PlayerMatch) {
	if l, ok := m.strategy.(Learner); ok {
		l.Learn(e)
	}
}

// recall reads what the player remembers from before, and lets its strategy
// learn from it. It does so once.
func (m *memory) recall(player string) error {
	if m.past == nil || m.recalled {
		return nil
	}
	past, err := m.past(player)
	if err != nil {
		return fmt.Errorf("recall the matches of %s: %w", player, err)
	}
	past = m.newest(past)
	m.history, m.recalled, m.before = past, true, len(past)
	for _, e := range past {
		m.learn(e)
	}
	return nil
}
