package referee

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"agentleague/game"
	"agentleague/game/draw"
	"agentleague/protocol"
	"agentleague/rpc/lifetime"
)

// A match is the state of one attempt at a match, from the order to the record.
type match struct {
	env   *env
	start *protocol.StartMatch
	rules game.Game
	key   []byte           // nil: the draw is the manager's
	life  lifetime.Context // from the order to its end, or until it is stopped
	seats []*seat
	began time.Time

	commitment string           // to the draw
	keyText    string           // the key in hexadecimal digits, once it is shown
	scoring    protocol.Scoring // of the order, or the protocol's default
	// token returns the token of this match for the player with the given registration token. Some players send their
	// registration token to referees too, although it is meant for the manager only.
	token      func(own string) string
	transcript transcript

	mu        sync.Mutex
	state     game.State
	phase     string
	turn      int
	lifecycle protocol.Lifecycle
	stages    int // so far; changed only while no question is open
	tries     []protocol.Try
	usage     map[string]protocol.Usage // by the players that reported it; nil: none did
	moves     []protocol.PlayedMove
	unplayed  map[string]json.RawMessage // answers to the last question, by the players that gave one
	result    *protocol.GameResult
	told      bool

	ended bool // recorded or given up; guarded by the referee
}

// answers are the players' answers to one question, by seat. An entry is nil if the seat was not asked or gave no valid
// answer.
type answers [2]protocol.Message

// newMatch creates the match of an order without calling the players. It fails if the game is not for two players or
// the draw key does not match its commitment.
func newMatch(e *env, rules game.Game, start *protocol.StartMatch) (*match, error) {
	key, commitment, err := drawOf(rules, start)
	if err != nil {
		return nil, err
	}
	state, err := rules.Start(2, draw.New(key))
	if err != nil {
		return nil, err
	}
	m := &match{env: e, start: start, rules: rules, key: key, commitment: commitment, state: state, began: time.Now()}
	m.life.Begin(e.base)
	m.lifecycle.CreatedAt = protocol.Stamp(m.began)
	m.phase, m.scoring = protocol.WaitingForPlayers, protocol.DefaultScoring
	if start.Scoring != nil {
		m.scoring = *start.Scoring
	}
	m.token = func(own string) string {
		return protocol.MatchToken(own, start.LeagueID, start.MatchID, start.Attempt, e.id())
	}
	m.seats = make([]*seat, 0, 2)
	m.seats = append(m.seats, newSeat(m, "PLAYER_A", start.PlayerA, start.PlayerB.ID))
	m.seats = append(m.seats, newSeat(m, "PLAYER_B", start.PlayerB, start.PlayerA.ID))
	return m, nil
}

// stop cancels the match with the cause why, which is nil if the match is over.
func (m *match) stop(why error) { m.life.End(why) }

// over reports whether the match has ended: by its rules, by a forfeit, or by stop.
func (m *match) over() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.life.Err() != nil || m.forfeited() {
		return true
	}
	_, over := m.state.Outcome()
	return over
}

// toMove returns the seats that move next: all seats at once in games with simultaneous moves.
func (m *match) toMove() (seats []*seat) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, i := range m.state.ToMove() {
		seats = append(seats, m.seats[i])
	}
	return seats
}

// apply plays the collected moves of both players at once; until then no player can see them.
func (m *match) apply(given answers) error {
	phase := protocol.ApplyingMoves
	if m.start.GameType == protocol.EvenOdd {
		phase = protocol.DrawingNumber
	}
	m.enter(phase)
	m.mu.Lock()
	defer m.mu.Unlock()
	moves := map[game.Seat]game.Move{}
	for _, s := range m.seats {
		answer := given[s.index]
		if answer == nil {
			continue
		}
		moves[s.index] = moveOf(answer)
		m.moves = append(m.moves, protocol.PlayedMove{Turn: m.turn, PlayerID: s.ID, Move: moves[s.index]})
		s.answered = false
	}
	m.turn++
	if err := m.state.Apply(moves); err != nil {
		return fmt.Errorf("match %s: apply: %w", m.start.MatchID, err)
	}
	return nil
}

// keepUnplayed stores the valid answers to a question that ended by the forfeit of another seat. The result lists them
// as choices, although they were not played.
func (m *match) keepUnplayed(given answers) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unplayed = map[string]json.RawMessage{}
	for _, s := range m.seats {
		if answer := given[s.index]; answer != nil {
			m.unplayed[s.ID] = moveOf(answer)
		}
	}
}

// enter records that the match enters a phase of its lifecycle.
func (m *match) enter(phase string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := protocol.Stamp(time.Now())
	if m.lifecycle.StartedAt == "" {
		m.lifecycle.StartedAt = now
	}
	m.phase, m.lifecycle.State = phase, phase
	m.lifecycle.Transitions = append(m.lifecycle.Transitions, protocol.Transition{State: phase, Timestamp: now})
}

// tell returns the progress of the match as a spectator may see it, or the result once the match is over.
func (m *match) tell() *protocol.MatchState {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := &protocol.MatchState{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchState, LeagueID: m.start.LeagueID, RoundID: m.start.RoundID, MatchID: m.start.MatchID,
		},
		State: m.phase, GameType: m.start.GameType, Attempt: m.start.Attempt, Turn: m.turn, GameResult: m.result,
		Reported: m.told,
	}
	if _, over := m.state.Outcome(); !over && !m.forfeited() {
		out.Spectator = m.state.View(spectator).Context
	}
	for _, s := range m.seats {
		out.Players = append(out.Players, protocol.SeatState{
			PlayerID: s.ID, Joined: s.joined, Answered: s.answered, Tries: s.tries,
			ToMove: m.phase == protocol.CollectingChoices && slices.Contains(m.state.ToMove(), s.index),
		})
	}
	return out
}

// spectator is the seat number of a spectator.
const spectator game.Seat = -1

// settle marks the match as reported and frees its transcript, which the record contains. It reports whether this is
// the first call.
func (m *match) settle() (news bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	news = !m.told
	m.told = true
	m.transcript.set(nil)
	return news
}

// errReplaced cancels an attempt that is replaced by another.
var errReplaced = errors.New("the manager has ordered another attempt at this match")

// forfeited reports whether any seat has forfeited. The caller holds the lock.
func (m *match) forfeited() bool {
	for _, s := range m.seats {
		if s.lost != nil {
			return true
		}
	}
	return false
}
