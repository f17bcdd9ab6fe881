package referee

import (
	"errors"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"agentleague/protocol"
)

// Breakers keep a referee from waiting for endpoints that have been dead for a
// while: after several failures to connect, tries fail at once for a minute.
type breakers struct {
	policy Policy
	mu     sync.Mutex
	byURL  map[string]*breaker
}

type breaker struct {
	*gobreaker.CircuitBreaker[protocol.Message]
	since time.Time // when it was made; a later registration makes a new one
}

func newBreakers(p Policy) *breakers { return &breakers{policy: p, byURL: map[string]*breaker{}} }

// at returns the breaker of an endpoint, a fresh one if its agent has registered since.
func (b *breakers) at(endpoint string, registered time.Time) *breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	br := b.byURL[endpoint]
	if br == nil || registered.After(br.since) {
		br = b.fresh()
		b.byURL[endpoint] = br
	}
	return br
}

// reset forgets the failures of an endpoint that was reached after all.
func (b *breakers) reset(endpoint string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.byURL, endpoint)
}

func (b *breakers) fresh() *breaker {
	settings := gobreaker.Settings{
		Timeout:      b.policy.BreakerReset,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return int(c.ConsecutiveFailures) >= b.policy.BreakerFailures },
		IsSuccessful: func(err error) bool { return !protocol.Is(err, protocol.Connection) },
	}
	return &breaker{gobreaker.NewCircuitBreaker[protocol.Message](settings), time.Now()}
}

func (b *breaker) open() bool { return b.State() == gobreaker.StateOpen }

var errOpen = gobreaker.ErrOpenState

// breakerError says in the protocol's words that a call was not made.
func breakerError(s *seat, err error) error {
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return protocol.Errorf(protocol.Connection, "%s has not been reachable for a while", s.Endpoint)
	}
	return err
}
