package player

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"agentleague/game"
)

// A Turn is a choice that a seat waits for.
type Turn struct {
	ID       string
	View     game.View
	Deadline time.Time // zero: none
}

// A Seat is a strategy whose moves come from outside. When none comes in time,
// its fallback chooses.
type Seat struct {
	fallback Strategy
	reserve  time.Duration

	mu      sync.Mutex
	next    int
	open    []*openTurn
	changed chan struct{} // closed and replaced whenever a turn opens
}

type openTurn struct {
	Turn
	move chan game.Move
}

// ErrNoTurn says that a move came for a turn that is not open: it was played, or its time is up.
var ErrNoTurn = errors.New("that turn is not open any more")

// NewSeat returns a seat that asks its fallback when reserve is left before a
// choice is due. A nil fallback lets the time run out.
func NewSeat(fallback Strategy, reserve time.Duration) *Seat {
	return &Seat{fallback: fallback, reserve: reserve, changed: make(chan struct{})}
}

// Choose opens a turn and waits for its move.
func (s *Seat) Choose(ctx context.Context, v game.View) (game.Move, error) {
	t := s.begin(ctx, v)
	defer s.end(t)
	wait := ctx
	if !t.Deadline.IsZero() {
		var cancel context.CancelFunc
		wait, cancel = context.WithDeadline(ctx, t.Deadline)
		defer cancel()
	}
	select {
	case m := <-t.move:
		return m, nil
	case <-wait.Done():
	}
	if s.fallback == nil {
		return nil, context.Cause(wait)
	}
	return s.fallback.Choose(ctx, v)
}

// Turn waits until a choice is wanted and returns it.
func (s *Seat) Turn(ctx context.Context) (Turn, error) {
	for {
		s.mu.Lock()
		if len(s.open) > 0 {
			t := s.open[0].Turn
			s.mu.Unlock()
			return t, nil
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return Turn{}, context.Cause(ctx)
		}
	}
}

// Play gives the move for a turn. The first one counts. Whether it is legal is
// for the caller to look up in the turn's view; the referee asks again if not.
func (s *Seat) Play(turn string, m game.Move) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.open {
		if t.ID == turn {
			t.move <- m
			s.remove(t)
			return nil
		}
	}
	return ErrNoTurn
}

func (s *Seat) begin(ctx context.Context, v game.View) *openTurn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	t := &openTurn{Turn: Turn{ID: strconv.Itoa(s.next), View: v}, move: make(chan game.Move, 1)}
	if d, ok := ctx.Deadline(); ok {
		t.Deadline = d.Add(-s.reserve)
	}
	s.open = append(s.open, t)
	close(s.changed)
	s.changed = make(chan struct{})
	return t
}

func (s *Seat) end(t *openTurn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(t)
}

func (s *Seat) remove(t *openTurn) {
	s.open = slices.DeleteFunc(s.open, func(o *openTurn) bool { return o == t })
}
