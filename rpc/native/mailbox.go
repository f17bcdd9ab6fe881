package native

import (
	"context"
	"crypto/ed25519"
	"errors"
	"log/slog"

	"agentleague/protocol"
)

// OpenMailbox opens the mailbox of an agent's key at its manager and returns the endpoint to register with.
type OpenMailbox = func(ctx context.Context, manager string, key ed25519.PrivateKey) (endpoint string, err error)

// Endpoint returns the endpoint with which the agent registers: that of its mailbox if it has opened one, and otherwise
// the given one.
func (a *Applicant) Endpoint(own string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.inbox != "" {
		return a.inbox
	}
	return own
}

// OpenMailbox opens the agent's mailbox if the outcome of its registration is that the manager cannot call it. It
// returns true if the agent must register again, with another [Applicant.Endpoint].
func (a *Applicant) OpenMailbox(ctx context.Context, under *Registration, reply protocol.Message, err error) bool {
	a.mu.Lock()
	try := a.mailbox != nil && a.inbox == "" && under.uncalled(reply, err)
	a.mu.Unlock()
	if !try {
		return false
	}
	endpoint, err := a.mailbox(ctx, under.manager, a.identity.Key)
	if err != nil {
		a.node.Logger.Debug("the manager cannot call this agent, and opens no mailbox for it", slog.Any("error", err))
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inbox = endpoint
	return true
}

// uncalled reports whether the outcome of a registration is that no challenge has reached the agent. The manager cannot
// authenticate such an answer to an agent that it knows. The caller holds the applicant's lock.
func (r *Registration) uncalled(reply protocol.Message, err error) bool {
	if errors.Is(err, protocol.ErrUnauthenticated) {
		return r.place == nil
	}
	switch answer := reply.(type) {
	case *protocol.LeagueRegisterResponse:
		return answer.Unreached()
	case *protocol.RefereeRegisterResponse:
		return answer.Unreached()
	}
	return false
}
