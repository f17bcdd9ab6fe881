package registration

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"agentleague/league"
	"agentleague/league/location"
	"agentleague/protocol"
	"agentleague/rpc/native"
)

// offer challenges an applicant at its endpoint, and returns the place that it signed. An agent answers a
// challenge only from the manager's address that it has called, so several may be tried. Afterwards the answer to
// the registration is authenticated.
func (reg *Registrar) offer(
	ctx context.Context, r league.Registered, h *protocol.Envelope, addr string,
) (taken *league.TakenPlace, no *league.Rejection) {
	terms := native.Agreement{LeagueID: reg.cfg.LeagueID, Key: reg.cfg.Keys.Agreement()}
	reg.cfg.League.Read(func(s *league.State) { terms.Upgraded = s.Created.ManagerKey == "" })
	var err error
	if terms.Created, err = reg.cfg.League.FirstLine(ctx); err != nil {
		reg.cfg.Node.Logger.Error("the first line of the log cannot be read", slog.Any("error", err))
		return nil, league.Refused(protocol.Internal, "the first line of the log cannot be read").No
	}
	var answer *native.Answered
	for _, terms.Manager = range reg.cfg.Asked(ctx, r.Endpoint) {
		answer, err = reg.challenge(ctx, &terms, r, h.ConversationID)
		if !errors.Is(err, native.ErrNotAccepted) {
			break
		}
	}
	if err != nil {
		return nil, reg.unanswered(ctx, r, addr, err)
	}
	h.AnswerWith(&answer.Credential)
	return &league.TakenPlace{
		ID: r.ID, Generation: r.Generation, Proof: league.Welcomed{
			Manager: answer.Signed.Manager, Challenge: answer.Signed.Nonce, Nonce: answer.Signed.AgentNonce,
			Signature: answer.Signature,
		},
		Organiser: r.Role == protocol.RoleReferee && reg.cfg.Keys.IsOrganisers(answer.Organiser, answer.Signed.Text()),
	}, nil
}

// challenge asks an applicant to prove that it has the private keys of its registration.
func (reg *Registrar) challenge(
	ctx context.Context, terms *native.Agreement, r league.Registered, conversation string,
) (*native.Answered, error) {
	ctx, cancel := context.WithTimeout(ctx, challengeTimeout)
	defer cancel()
	return terms.Welcome(ctx, reg.cfg.Node, native.Newcomer{
		Role: r.Role, ID: r.ID, Epoch: r.Generation, Endpoint: r.Endpoint, PublicKey: r.Key, AgreementKey: r.AgreementKey,
		Conversation: conversation,
	})
}

// unanswered returns the rejection of an applicant at addr that did not answer its challenge.
func (reg *Registrar) unanswered(ctx context.Context, r league.Registered, addr string, err error) *league.Rejection {
	var no *league.Rejection
	switch {
	case errors.Is(err, native.ErrNotAccepted) && elsewhere(ctx, reg.cfg.Node, r.Endpoint, addr):
		no = reg.unreached(ctx, r, addr, err)
	case errors.Is(err, native.ErrNotAccepted):
		no = league.Refused(protocol.DuplicateName,
			"the agent at %s does not accept the place %s: it has not asked this manager, or it wants another id", r.Endpoint, r.ID).No
		no.Advice = "Register with a contact_endpoint at which you listen yourself"
	case errors.Is(err, native.ErrBadAnswer):
		no = league.Refused(protocol.AuthTokenInvalid, "the signature from %s is not of the key that was registered",
			r.Endpoint).No
	case protocol.Is(err, protocol.InvalidMessage):
		no = league.Refused(protocol.InvalidMessage, "%s", protocol.AsError(err).Sentence()).No
	default:
		no = reg.unreached(context.WithoutCancel(ctx), r, addr, err)
	}
	return no
}

// challengeTimeout is the timeout of a challenge.
const challengeTimeout = 5 * time.Second

// Limits of the registrations in progress. They do not apply to an agent whose key is registered already.
const (
	maxWaiting    = 64          // of one address
	maxSlow       = 4           // of one endpoint's host, that have waited longer than slowThreshold
	slowThreshold = time.Second // for the answer to a challenge
)

// waits counts a registration as in progress until leave is called. It returns an error if too many are in
// progress from its address or for its endpoint's host.
func (reg *Registrar) waits(ap league.Application, addr string) (leave func(), err error) {
	known := false
	reg.cfg.League.Read(func(s *league.State) { known = s.ByKey(ap.Role, ap.Meta.PublicKey) != nil })
	host := location.Machine(ap.Place)
	reg.mu.Lock()
	defer reg.mu.Unlock()
	switch {
	case known:
		return func() {}, nil
	case reg.applying[addr] >= maxWaiting:
		return nil, protocol.Errorf(protocol.RateLimited, "%d registrations from %s are in progress; try again later",
			maxWaiting, addr)
	case ap.Meta.PublicKey != "" && reg.slow[host] >= maxSlow:
		return nil, protocol.Errorf(protocol.RateLimited,
			"%d agents at %s have not answered the challenge to their registration yet; try again later", maxSlow, host)
	}
	reg.applying[addr]++
	slow, over := false, false
	timer := time.AfterFunc(slowThreshold, func() {
		reg.mu.Lock()
		defer reg.mu.Unlock()
		if slow = !over; slow {
			reg.slow[host]++
		}
	})
	return func() {
		timer.Stop()
		reg.mu.Lock()
		defer reg.mu.Unlock()
		over = true
		less(reg.applying, addr)
		if slow {
			less(reg.slow, host)
		}
	}, nil
}

// less counts one less of a key.
func less(counts map[string]int, key string) {
	if counts[key]--; counts[key] <= 0 {
		delete(counts, key)
	}
}
