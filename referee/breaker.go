package referee

import (
	"errors"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"agentleague/protocol"
)

// breakers keep a referee from waiting for endpoints that have been dead for a
// while: after several failures to connect, tries fail at once for a minute.
type breakers struct {
	policy Policy
	mu     sync.Mutex
	byURL  map[string]*breaker
}

// A breaker keeps a referee from calling an agent that does not answer at all.
type breaker struct {
	*gobreaker.CircuitBreaker[protocol.Message]
	registered time.Time       // of the agent that it was made for; when that registers again it gets a new one
	cause      *protocol.Error // why the newest call brought no answer. Guarded by breakers.
}

func newBreakers(p Policy) *breakers { return &breakers{policy: p, byURL: map[string]*breaker{}} }

// at returns the breaker of an endpoint, a fresh one if its agent has registered since.
func (b *breakers) at(endpoint string, registered time.Time) *breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	br := b.byURL[endpoint]
	if br == nil || registered.After(br.registered) {
		br = &breaker{CircuitBreaker: b.fresh(), registered: registered}
		b.byURL[endpoint] = br
	}
	return br
}

// call makes a call to an endpoint, unless its breaker is open; a forced call is made in any case.
func (b *breakers) call(
	endpoint string, registered time.Time, forced bool, call func() (protocol.Message, error),
) (protocol.Message, error) {
	br := b.at(endpoint, registered)
	answer, err := br.Execute(call)
	if !errors.Is(err, gobreaker.ErrOpenState) && !errors.Is(err, gobreaker.ErrTooManyRequests) {
		b.keep(br, err)
		return answer, err
	}
	if !forced {
		return nil, b.why(br, endpoint)
	}
	answer, err = call()
	b.keep(br, err)
	if !protocol.Is(err, protocol.Connection) {
		b.reset(endpoint)
	}
	return answer, err
}

// keep notes why a call brought no answer.
func (b *breakers) keep(br *breaker, err error) {
	var cause *protocol.Error
	if !errors.As(err, &cause) || cause.Kind != protocol.Connection {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	br.cause = cause
}

// why returns the error of a call that is not made.
func (b *breakers) why(br *breaker, endpoint string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if br.cause == nil {
		return protocol.Errorf(protocol.Connection, "%s has not been reachable for a while", endpoint)
	}
	return protocol.Errorf(protocol.Connection, "%s; it is not called again for a while", br.cause.Sentence())
}

// reset forgets the failures of an endpoint that was reached after all.
func (b *breakers) reset(endpoint string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.byURL, endpoint)
}

// fresh returns a closed breaker. Only failed connections count: an agent that answers nonsense or late is reachable.
func (b *breakers) fresh() *gobreaker.CircuitBreaker[protocol.Message] {
	return gobreaker.NewCircuitBreaker[protocol.Message](gobreaker.Settings{
		Timeout:      b.policy.BreakerReset,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return int(c.ConsecutiveFailures) >= b.policy.BreakerFailures },
		IsSuccessful: func(err error) bool { return !protocol.Is(err, protocol.Connection) },
	})
}
