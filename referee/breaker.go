package referee

import (
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"agentleague/protocol"
)

// breakers are the circuit breakers of the endpoints: after several failed
// connections to an endpoint, calls to it fail at once for a minute.
type breakers struct {
	policy Policy
	mu     sync.Mutex
	byURL  map[string]*breaker
}

// A breaker is the circuit breaker of one endpoint.
type breaker struct {
	*gobreaker.CircuitBreaker[protocol.Message]
	registered map[string]time.Time // when the agent registered, by league; after another registration it gets a new breaker
	cause      *protocol.Error      // why the newest call brought no answer. Guarded by breakers.
}

func newBreakers(p Policy) *breakers { return &breakers{policy: p, byURL: map[string]*breaker{}} }

// at returns the breaker of an endpoint. registered is when the agent there last registered; a different time than
// before starts a new, closed breaker. Times are only compared for equality, since the manager's clock may have been
// set back.
func (b *breakers) at(endpoint, league string, registered time.Time) *breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	br := b.byURL[endpoint]
	if br == nil {
		br = &breaker{CircuitBreaker: b.fresh(), registered: map[string]time.Time{league: registered}}
		b.byURL[endpoint] = br
	}
	if known, ok := br.registered[league]; !ok || !known.Equal(registered) {
		br = &breaker{CircuitBreaker: b.fresh(), registered: maps.Clone(br.registered)}
		br.registered[league] = registered
		b.byURL[endpoint] = br
	}
	return br
}

// call runs a call to an endpoint, or returns an error at once if the breaker is open. force makes the call even if the
// breaker is open.
func (b *breakers) call(
	endpoint, league string, registered time.Time, forced bool, call func() (protocol.Message, error),
) (protocol.Message, error) {
	br := b.at(endpoint, league, registered)
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

// keep stores the error of a failed call, for the error message while the breaker is open.
func (b *breakers) keep(br *breaker, err error) {
	var cause *protocol.Error
	if !errors.As(err, &cause) || cause.Kind != protocol.Connection {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	br.cause = cause
}

// why returns the error for a call that was blocked by an open breaker.
func (b *breakers) why(br *breaker, endpoint string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if br.cause == nil {
		return protocol.Errorf(protocol.Connection, "%s has not been reachable for a while", endpoint)
	}
	return protocol.Errorf(protocol.Connection, "%s; it is not called again for a while", br.cause.Sentence())
}

// reset closes the breaker of an endpoint that was reached, even if no answer came in time.
func (b *breakers) reset(endpoint string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.byURL, endpoint)
}

// fresh returns a closed breaker. Only failed connections count as failures: an agent that answers late or with an
// invalid message is reachable.
func (b *breakers) fresh() *gobreaker.CircuitBreaker[protocol.Message] {
	return gobreaker.NewCircuitBreaker[protocol.Message](gobreaker.Settings{
		Timeout:      b.policy.BreakerReset,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return int(c.ConsecutiveFailures) >= b.policy.BreakerFailures },
		IsSuccessful: func(err error) bool { return !protocol.Is(err, protocol.Connection) },
	})
}
