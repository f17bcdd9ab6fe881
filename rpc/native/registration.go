package native

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Registration is a registration in progress. The agent answers only the challenge of its conversation.
type Registration struct {
	applicant    *Applicant
	conversation string
	manager      string
	league       string      // that was asked for; "": the manager's own
	place        *Membership // that was taken in it; nil: it was not challenged yet. Guarded by the applicant
	proven       *Membership // the place that authenticates the answer; nil: none yet. Guarded likewise
	declined     error       // why the agent declined the offered place; nil: it did not. Guarded likewise
}

// Begin starts a registration, before its request is sent to the manager. endpoint is the agent's own address. Begin
// ends an earlier registration that is still in progress.
func (a *Applicant) Begin(manager, endpoint, league, conversation string) *Registration {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.endpoint = endpoint
	a.under = &Registration{applicant: a, conversation: conversation, manager: manager, league: league}
	return a.under
}

// NotYet reports why a registration is repeated: to [rpc.Options].Retries, and in the log once for each new reason.
func (a *Applicant) NotYet(t protocol.Type, why string) {
	a.mu.Lock()
	level := slog.LevelWarn
	if a.notYet == why {
		level = slog.LevelDebug
	}
	a.notYet = why
	a.mu.Unlock()
	a.node.Logger.Log(context.Background(), level, "not registered yet", slog.String("why", protocol.Plain(why)))
	if a.node.Retries != nil {
		a.node.Retries(t, &protocol.LaterError{Reason: why})
	}
}

// End ends the registration: later challenges are refused.
func (r *Registration) End() {
	a := r.applicant
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.under == r {
		a.under = nil
	}
}

// Declined returns why the agent declined the place that the manager offered, or nil.
func (r *Registration) Declined() error {
	r.applicant.mu.Lock()
	defer r.applicant.mu.Unlock()
	return r.declined
}

// Peer returns how to call the manager in this registration. A manager in this process, or one with which the agent has
// a membership, is called in our dialect; for any other manager the dialect is detected.
func (r *Registration) Peer() rpc.Peer {
	p := rpc.Peer{Endpoint: r.manager, Auth: r}
	if _, held := r.applicant.Membership(r.manager, r.league); held || r.applicant.identity.Own {
		p.Dialect = protocol.Canonical
	}
	return p
}

// SignRequest does nothing: the answer to the challenge authenticates a registration.
func (r *Registration) SignRequest(protocol.Message) {}

// ReadAnswer verifies and decodes the manager's answer, with the token of this registration or of an existing
// membership. It returns [rpc.ErrNotAgreed] if there is no such token.
func (r *Registration) ReadAnswer(body []byte, want protocol.Type, conversation string) (protocol.Message, error) {
	err := rpc.ErrNotAgreed
	for _, p := range r.memberships() {
		var m protocol.Message
		m, err = p.Credential().ReadAnswer(body, want, conversation)
		if !errors.Is(err, protocol.ErrUnauthenticated) {
			r.applicant.mu.Lock()
			r.proven = &p
			r.applicant.mu.Unlock()
			return m, err
		}
	}
	return nil, err
}

// Retry returns the reason and the delay for retrying a failed registration, or "" if it should not be retried, because
// the manager refused the agent. If the receiver does not understand the request, another program may soon replace it:
// the dialect is then detected again.
func (r *Registration) Retry(err error) (why string, pause time.Duration) {
	var refusal *protocol.Refusal
	switch {
	case errors.Is(err, protocol.ErrUnauthenticated):
		return err.Error(), retryPause
	case !errors.As(err, &refusal), refusal.Name != "" && refusal.HTTPStatus != http.StatusUnprocessableEntity:
		return "", 0
	}
	r.applicant.node.ForgetDialect(r.manager)
	why = err.Error()
	if said := protocol.Clip(refusal.Said, 500); said != "" && !strings.Contains(why, said) {
		why += " (its answer: " + said + ")"
	}
	return why, searchPause
}

// retryPause is the delay before a retry; searchPause is the delay if the dialect is detected again.
const (
	retryPause  = 2 * time.Second
	searchPause = 10 * time.Second
)

// memberships returns the memberships whose token may authenticate the manager's answer.
func (r *Registration) memberships() (out []Membership) {
	a := r.applicant
	a.mu.Lock()
	if r.place != nil {
		out = append(out, *r.place)
	}
	a.mu.Unlock()
	held, ok := a.Membership(r.manager, r.league)
	if !ok { // at an address with a place that is not over no third-party manager is believed
		held, ok = a.Membership(r.manager, "")
	}
	if ok && (len(out) == 0 || held.Token != out[0].Token) {
		out = append(out, held)
	}
	return out
}

// Taken makes the membership that authenticated the manager's answer the current one, and returns it. That need not be
// the last challenge's: any client that knows the conversation can send one. Without a challenge it returns false.
func (r *Registration) Taken() (Membership, bool) {
	a := r.applicant
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.place == nil || r.proven == nil {
		return Membership{}, false
	}
	return a.settle(*r.proven), true
}

// welcome handles a challenge. The membership is stored before the answer is sent, so that it survives a crash.
func (a *Applicant) welcome(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	w := m.(*protocol.Welcome)
	a.mu.Lock()
	under, endpoint := a.under, a.endpoint
	a.mu.Unlock()
	p, err := a.offered(ctx, w, under, endpoint)
	if err != nil {
		if under != nil {
			a.node.Logger.Warn("refused a challenge to this agent's registration: "+protocol.AsError(err).Sentence(),
				slog.String("manager", protocol.Plain(w.Manager)))
		}
		return nil, err
	}
	if err := a.take(under, p); err != nil {
		return nil, err
	}
	own := protocol.Challenge{
		Manager: w.Manager, Seal: p.Seal, ManagerKey: p.ManagerKey, Role: a.role, ID: p.ID, Epoch: p.Epoch,
		Endpoint: endpoint, Nonce: w.Nonce, AgentNonce: a.node.Nonce(16), AgreementKey: a.AgreementKey(),
	}
	text := own.Text()
	reply := &protocol.WelcomeAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeWelcomeAck, LeagueID: w.LeagueID},
		Nonce:    own.AgentNonce, Signature: protocol.Sign(a.identity.Key, text), Confirm: protocol.Confirm(p.Token, text),
	}
	if a.secret != nil {
		reply.Organiser = protocol.OrganiserMark(a.secret, text)
	}
	return reply, nil
}

// take stores a membership as pending. An existing membership with the same seal stays current.
func (a *Applicant) take(under *Registration, p Membership) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.under != under {
		return notAsked()
	}
	p.Pending = true
	if !slices.ContainsFunc(a.identity.Memberships, p.same) {
		now := a.identity
		now.Memberships = append(without(now.Memberships, func(o Membership) bool { return o.Pending && o.Seal == p.Seal }), p)
		if a.keep != nil {
			if err := a.keep(now); err != nil {
				return fmt.Errorf("keep the identity of this agent: %w", err)
			}
		}
		a.identity = now
	}
	under.place = &p
	return nil
}

// same reports whether two memberships have the same token and manager.
func (p Membership) same(o Membership) bool {
	p.Pending, o.Pending, p.Token, o.Token = false, false, "", ""
	return p == o
}

// offered returns the membership that a challenge offers, or an error if the agent must not answer the challenge.
func (a *Applicant) offered(
	ctx context.Context, w *protocol.Welcome, under *Registration, endpoint string,
) (p Membership, err error) {
	switch {
	case under == nil || !protocol.SameToken(under.conversation, w.ConversationID):
		return p, notAsked()
	case w.Created == "":
		return p, protocol.Errorf(protocol.VersionMismatch,
			"the manager is of an older version, which sends tokens; update it")
	case !sameManager(ctx, a.node, under.manager, w.Manager):
		return p, protocol.Errorf(protocol.AuthTokenInvalid, "this agent asked another manager for a place: %s",
			under.manager)
	case w.Endpoint != endpoint:
		return p, protocol.Errorf(protocol.AuthTokenInvalid, "this agent registered the endpoint %s, not %q", endpoint,
			protocol.Clip(w.Endpoint, 100))
	}
	line, err := protocol.ReadCreated(w.Created)
	if err != nil {
		return p, err
	}
	p = Membership{Manager: under.manager, LeagueID: line.LeagueID, Seal: line.Seal, ManagerKey: line.ManagerKey, ID: w.ID,
		Epoch: w.Epoch}
	if p.ManagerKey == "" {
		p.ManagerKey = w.ManagerKey // of a league that was upgraded
	}
	a.mu.Lock()
	known, pinned := a.newest(func(o *Membership) bool { return o.Seal == p.Seal })
	a.mu.Unlock()
	switch {
	case under.league != "" && p.LeagueID != under.league || w.LeagueID != p.LeagueID:
		return p, protocol.Errorf(protocol.UnknownLeague, "this agent asked for a place in %s, not in %q", under.league,
			protocol.Clip(p.LeagueID, 64))
	case p.ManagerKey == "" || w.ManagerKey != "" && w.ManagerKey != p.ManagerKey:
		return p, protocol.Errorf(protocol.AuthTokenInvalid, "manager_key: it is missing, or differs from line 1 of the log")
	case pinned && known.ManagerKey != p.ManagerKey:
		return p, protocol.Errorf(protocol.AuthTokenInvalid,
			"manager_key: this agent knows the league by another key of its manager")
	case !protocol.ValidID(a.role, p.ID) || p.Epoch < 1:
		return p, protocol.Errorf(protocol.InvalidMessage, "id, epoch: no %s can have them", a.role)
	}
	if err := a.compute(&p); err != nil {
		return p, protocol.Errorf(protocol.AuthTokenInvalid, "manager_key: %v", err)
	}
	if a.onlyID != "" && p.ID != a.onlyID {
		return p, a.decline(under, p, pinned)
	}
	return p, nil
}

// decline returns the error for an offered place whose id is not the requested one. The manager then registers nothing.
func (a *Applicant) decline(under *Registration, p Membership, member bool) error {
	no := protocol.Errorf(protocol.DuplicateName, "the id %s is not free in %s, which offers %s; ask for another id, or for none",
		a.onlyID, p.LeagueID, p.ID)
	if member {
		no.Detail = fmt.Sprintf("this agent is %s in %s already; ask for that id or for none, or start a new agent with another name",
			p.ID, p.LeagueID)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	under.declined = errors.New(no.Detail)
	return no
}

func notAsked() error {
	return protocol.Errorf(protocol.OutOfTurn, "this agent has not asked for a place in that conversation")
}

// sameManager reports whether two addresses belong to one manager: they have the same scheme and port, and resolve to
// the same machine. The paths are ignored, since they distinguish leagues and keys.
func sameManager(ctx context.Context, n *rpc.Node, asked, said string) bool {
	a, errA := url.Parse(asked)
	b, errB := url.Parse(said)
	if errA != nil || errB != nil || a.Scheme != b.Scheme || portOf(a) != portOf(b) {
		return false
	}
	return a.Hostname() == b.Hostname() || sameMachine(ctx, n, asked, said)
}

// portOf returns the port of an address, or the default port of its scheme.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// sameMachine reports whether two addresses may belong to one machine.
func sameMachine(ctx context.Context, n *rpc.Node, asked, said string) bool {
	addrs := n.Network.Addresses(ctx, asked)
	for _, addr := range addrs {
		if n.ComesFrom(ctx, rpc.From{Addr: addr}, said) {
			return true
		}
	}
	return slices.ContainsFunc(addrs, rpc.IsHere) && slices.ContainsFunc(n.Network.Addresses(ctx, said), rpc.IsHere)
}
