package player

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"agentleague/protocol"
)

// A Past is the history of a player as it is stored.
type Past struct {
	Matches []protocol.PlayerMatch // the newest, the oldest of them first
	Dropped protocol.PlayerStats   // counts the earlier matches, which Options.MaxHistory has removed
}

// Stats counts all matches of the player, including those that were removed.
func (p Past) Stats() protocol.PlayerStats { return p.Dropped.Plus(protocol.StatsOf(p.Matches)) }

// A memory stores the past matches of a player. Guarded by the agent's lock.
type memory struct {
	past func(player string) (Past, error) // loads the stored history; nil: none
	// keep is called with the whole history after each match; may be nil.
	keep     func(player string, history Past) error
	most     int // how many matches are remembered; 0: all
	strategy Strategy
	log      *slog.Logger

	history []protocol.PlayerMatch
	dropped protocol.PlayerStats // counts the matches that newest has removed
	trust   map[string]trust     // the trust in each result, by match
	loaded  bool                 // the stored history was loaded
	before  int                  // how many that were
}

// heard reports whether the history already has the result over, from the point of view of player me.
func (m *memory) heard(me pairNames, over *protocol.GameOver) bool {
	return m.mayKnow(over.MatchID) && slices.ContainsFunc(m.history, func(e protocol.PlayerMatch) bool {
		return e.MatchID == over.MatchID && e.Attempt == max(over.Attempt, 1) && e.Result == me.resultFor(over)
	})
}

// recalls is like heard for the history that was loaded at the start. A result that the manager has supplied since does
// not count, because it was not compared with the player's own data.
func (m *memory) recalls(me pairNames, over *protocol.GameOver) bool {
	return m.before > 0 && m.trust[over.MatchID] == fromBefore && m.heard(me, over)
}

// entryFor converts the result of a match into an entry of the history.
func entryFor(me pairNames, over *protocol.GameOver) protocol.PlayerMatch {
	e := protocol.PlayerMatch{
		MatchID: over.MatchID, RoundID: over.RoundID, Timestamp: protocol.Stamp(time.Now()),
		OpponentID: cmp.Or(over.OpponentID, me.opponent),
		Result:     me.resultFor(over), PointsEarned: me.pointsFor(over),
		DrawnNumber: protocol.DrawMember(cmp.Or(over.GameType, protocol.EvenOdd), over.GameResult.DrawnNumber.Value),
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

// A trust is the level of trust in the source of a result in the history.
type trust int

const (
	fromBefore trust = iota // it was loaded from the stored history
	doubtful                // from an unauthenticated sender
	settled                 // from this program's manager, or its referee
)

// remember stores a result, passes it to the strategy and saves the history. sure means that the sender is
// authenticated. Authenticated results replace others, and newer attempts older ones; among unauthenticated results the
// newest wins, whatever attempt it names.
func (m *memory) remember(player string, e protocol.PlayerMatch, sure bool) {
	i := m.find(e.MatchID)
	switch was := m.trust[e.MatchID]; {
	case !sure && was == settled, sure && was != doubtful && i >= 0 && e.Attempt < m.history[i].Attempt:
		return
	case i < 0:
		m.history = m.newest(append(m.history, e))
	default:
		m.history = slices.Clone(m.history) // earlier slices passed to keep stay unchanged
		if e.Usage == nil {
			e.Usage = m.history[i].Usage // the usage is independent of the result
		}
		m.history[i] = e
	}
	behind := doubtful
	if sure {
		behind = settled
	}
	put(&m.trust, e.MatchID, behind)
	m.learn(e)
	if m.keep == nil || m.past != nil && !m.loaded { // a history that was not loaded yet is not overwritten
		return
	}
	if err := m.keep(player, Past{slices.Clip(m.history), m.dropped}); err != nil {
		m.log.Error("the history could not be saved", slog.Any("error", err))
	}
}

// catchUp stores the result of a match unless the history has one.
func (m *memory) catchUp(player string, e protocol.PlayerMatch) {
	if m.find(e.MatchID) < 0 {
		m.remember(player, e, true)
	}
}

// find returns the index of a match in the history, or -1. It searches only if the history may contain the match, see
// mayKnow.
func (m *memory) find(match string) int {
	if !m.mayKnow(match) {
		return -1
	}
	return slices.IndexFunc(m.history, func(was protocol.PlayerMatch) bool { return was.MatchID == match })
}

// mayKnow reports whether the history may contain a match. If no history was loaded at the start, it returns true
// only for matches that were stored since.
func (m *memory) mayKnow(match string) bool {
	_, told := m.trust[match]
	return told || m.before > 0
}

// full reports whether the history has reached its maximum length.
func (m *memory) full() bool { return m.most > 0 && len(m.history) >= m.most }

// newest returns the newest part of a history, limited to the maximum length. It counts the matches that it removes.
func (m *memory) newest(past []protocol.PlayerMatch) []protocol.PlayerMatch {
	if m.most > 0 && len(past) > m.most {
		m.dropped = m.dropped.Plus(protocol.StatsOf(past[:len(past)-m.most]))
		return slices.Clone(past[len(past)-m.most:]) // a copy, so that the rest can be freed
	}
	return past
}

// learn passes a finished match to the strategy if that is a [Learner].
func (m *memory) learn(e protocol.PlayerMatch) {
	if l, ok := m.strategy.(Learner); ok {
		l.Learn(e)
	}
}

// loadHistory loads the stored history and passes it to the strategy. After it has succeeded once, further calls do
// nothing.
func (m *memory) loadHistory(player string) error {
	if m.past == nil || m.loaded {
		return nil
	}
	stored, err := m.past(player)
	if err != nil {
		return fmt.Errorf("load the matches of %s: %w", player, err)
	}
	m.dropped = stored.Dropped
	past := m.newest(stored.Matches)
	m.history, m.loaded, m.before = past, true, len(past)
	for _, e := range past {
		m.learn(e)
	}
	return nil
}
