package player

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"agentleague/game"
	"agentleague/protocol"
)

// A Turn is a choice that a seat waits for.
type Turn struct {
	ID       string // the same again if the same choice is asked for again
	Match    Match  // empty outside of an agent
	View     game.View
	Deadline time.Time // when the fallback chooses
}

// A Seat is a strategy that plays the moves which a client submits: a person at a page, or a program. If none arrives
// in time, its fallback strategy chooses.
//
//	referee ─▶ Choose ─▶ Turn ─▶ (Wait: a client) ─▶ Play ─▶ Move
//	                      └──── too late ─▶ fallback ─▶ Move, and an Event
//
// An absent owner does not delay matches: after two turns in a row without any call of Turn, Play, Look or Wait, and
// after Leave, the fallback chooses at once, until the next such call. A Seat is safe for concurrent use.
type Seat struct {
	fallback Strategy
	reserve  time.Duration

	mu      sync.Mutex
	opened  int
	open    []*openTurn            // those that are due first come first
	closed  []Ending               // the newest
	seq     uint64                 // of the newest change
	events  []Event                // the newest
	past    []protocol.PlayerMatch // finished matches, the newest last
	changed chan struct{}
	table   []protocol.Standing
	round   *protocol.RoundAnnouncement
	final   *protocol.LeagueCompleted

	registered bool   // matches learned from now on are broadcasts
	away       bool   // the fallback chooses at once
	calls      uint64 // from outside, so far
	waiting    int    // calls from outside that wait
	missed     int    // turns in a row without a call
}

// An openTurn is a turn for which the seat waits until a client, such as an MCP tool call or a page, submits a move.
type openTurn struct {
	Turn
	calls uint64 // from outside, when it was opened
	move  chan game.Move
	leave chan struct{} // closed when no client is going to answer
}

// maxMissed is the number of consecutive missed turns after which the owner counts as absent.
const maxMissed = 2

// rounding is the maximum by which a deadline in a message is later than the true one: deadlines are rounded up to
// whole seconds.
const rounding = time.Second

// ErrNoTurn means that a move is for a turn that is not open: a move was played already, or the time is up. See
// [Seat.Ended].
var ErrNoTurn = errors.New("this turn is no longer open")

// errLeft is the reason for a turn that ended at once because the seat's owner is absent.
var errLeft = errors.New("nobody is at the seat")

// NewSeat returns a seat whose fallback chooses when reserve is left before the
// deadline. If little time is left, the reserve is at most one second, for the
// rounding of deadlines, plus a quarter of the rest. With a nil fallback the turn ends without a move.
func NewSeat(fallback Strategy, reserve time.Duration) *Seat {
	return &Seat{fallback: fallback, reserve: reserve, changed: make(chan struct{})}
}

// Choose opens a turn and waits for its move.
func (s *Seat) Choose(ctx context.Context, v game.View) (game.Move, error) {
	t := s.begin(ctx, v)
	due := time.NewTimer(time.Until(t.Deadline))
	defer due.Stop()
	select {
	case m := <-t.move: // first: a move that came in time counts
		return m, nil
	default:
	}
	select {
	case m := <-t.move:
		return m, nil
	case <-t.leave:
		return s.instead(ctx, t, errLeft)
	case <-due.C:
		return s.instead(ctx, t, context.DeadlineExceeded)
	case <-ctx.Done():
	}
	if cause := context.Cause(ctx); errors.Is(cause, context.DeadlineExceeded) {
		return s.instead(ctx, t, cause)
	}
	s.end(t, Ending{How: Dropped}) // the caller is gone; it may ask again
	return nil, context.Cause(ctx)
}

// instead calls the fallback strategy. If a client has submitted a move by the time the fallback returns, that move is
// used.
func (s *Seat) instead(ctx context.Context, t *openTurn, why error) (game.Move, error) {
	select {
	case m := <-t.move:
		return m, nil
	default:
	}
	if s.fallback == nil {
		s.end(t, Ending{How: Late})
		return nil, why
	}
	m, err := s.fallback.Choose(ctx, t.View)
	if err != nil {
		s.end(t, Ending{How: Late})
		return nil, err
	}
	if played := s.end(t, Ending{How: Fallback, Move: m}); played != nil {
		return played, nil
	}
	return m, nil
}

// Turn waits for an open turn and returns the one with the earliest deadline. It fails only if ctx ends.
func (s *Seat) Turn(ctx context.Context) (Turn, error) {
	u := s.Look(0)
	for len(u.Turns) == 0 {
		var err error
		if u, err = s.Wait(ctx, u.Seq); err != nil {
			return Turn{}, err
		}
	}
	return u.Turns[0], nil
}

// Play sets the move of an open turn and closes the turn; a second call returns [ErrNoTurn]. It does not check
// whether the move is legal, see [Turn.Read]; after an illegal move the referee asks again.
func (s *Seat) Play(turn string, m game.Move) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.here()
	i := slices.IndexFunc(s.open, func(t *openTurn) bool { return t.ID == turn })
	if i < 0 {
		return ErrNoTurn
	}
	t := s.open[i]
	t.move <- m
	s.close(t, Ending{How: Played, Move: m})
	return nil
}

// Leave makes the fallback choose at once, in open and new turns, until the owner's next call.
func (s *Seat) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = true
	for _, t := range s.open {
		t.abandon()
	}
	s.open = nil // they count as played: an owner that comes back at once is not asked for them
	s.change()
}

// abandon makes the fallback strategy choose at once.
func (t *openTurn) abandon() {
	select {
	case <-t.leave:
	default:
		close(t.leave)
	}
}

// here records a call of a client, so that the owner counts as present. The caller holds the lock.
func (s *Seat) here() {
	s.calls++
	s.away, s.missed = false, 0
}

// begin opens a turn with the view v and makes it visible to clients.
func (s *Seat) begin(ctx context.Context, v game.View) *openTurn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	t := &openTurn{Turn: Turn{View: v, Deadline: s.due(ctx)}, calls: s.calls, move: make(chan game.Move, 1),
		leave: make(chan struct{})}
	t.Match, _ = MatchOf(ctx)
	t.ID = t.name(s.opened)
	if s.away {
		t.abandon()
		return t // turns that count as played are not shown
	}
	s.open = append(s.open, t)
	slices.SortStableFunc(s.open, func(a, b *openTurn) int { return a.Deadline.Compare(b.Deadline) })
	s.change()
	return t
}

// due returns the deadline for a client's move; the time after that is reserved for the fallback strategy. If ctx has
// no deadline, the specification's time limit for a move is used.
func (s *Seat) due(ctx context.Context) time.Time {
	d, ok := ctx.Deadline()
	if !ok {
		call, _ := protocol.Lookup(protocol.TypeGameMoveCall)
		d = time.Now().Add(call.Deadline)
	}
	left := max(time.Until(d), 0)
	return d.Add(-min(s.reserve, rounding+max(left-rounding, 0)/4, left))
}

// end closes a turn. If a client has submitted a move before, end returns that move and does not change the recorded
// ending.
func (s *Seat) end(t *openTurn, how Ending) game.Move {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case m := <-t.move:
		return m
	default:
	}
	if how.How != Dropped {
		s.miss(t)
	}
	s.close(t, how)
	return nil
}

// miss counts a turn without a client's move as missed, unless a client is waiting or has called since the turn opened.
// The caller holds the lock.
func (s *Seat) miss(t *openTurn) {
	if s.calls != t.calls || s.waiting > 0 {
		s.missed = 0
		return
	}
	s.missed++
	s.away = s.away || s.missed >= maxMissed
}

// close closes a turn and records its ending. The caller holds the lock.
func (s *Seat) close(t *openTurn, how Ending) {
	s.open = slices.DeleteFunc(s.open, func(o *openTurn) bool { return o == t })
	how.Turn, how.Match = t.Turn.ID, t.Match
	s.closed = newest(append(slices.DeleteFunc(s.closed, func(e Ending) bool { return e.Turn == how.Turn }), how))
	if how.How == Fallback || how.How == Late {
		s.tell(Event{Ending: &how})
		return
	}
	s.change()
}
