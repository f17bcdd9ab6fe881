package referee

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Register asks the manager for a place among its referees, every two seconds until it answers, and then reports the
// results left by an earlier run.
func (r *Referee) Register(ctx context.Context, manager, endpoint string) error {
	r.mu.Lock()
	r.manager, r.url = manager, endpoint
	r.mu.Unlock()
	// some managers grant any requested id
	if home := protocol.HomeID(protocol.RoleReferee, endpoint); r.opts.ID == "" && home != "" && !r.Node.Strict {
		r.Node.SetSender(protocol.Sender(protocol.RoleReferee, home))
	}
	_, err := r.register(ctx, "")
	return err
}

// register asks for a place, one request at a time. If it was to replace a token that was refused, and another request
// has done so, it returns nil. With an answer that is no admission it returns both, the answer and the error.
func (r *Referee) register(ctx context.Context, refused string) (*protocol.RefereeRegisterResponse, error) {
	select {
	case r.registering <- struct{}{}:
		defer func() { <-r.registering }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if refused != "" && refused != r.Granted().Token {
		return nil, nil
	}
	for {
		answer, retry, pause, err := r.apply(ctx)
		if retry == "" {
			return answer, err
		}
		r.Node.Logger.Warn("not registered yet", slog.String("why", protocol.Plain(retry)))
		if err := r.Node.Sleep(ctx, "register again", pause); err != nil {
			return nil, err
		}
	}
}

// apply asks for a place once, and answers the challenge that arrives during the call. It returns the reason and the
// delay of a retry, if one is needed.
func (r *Referee) apply(
	ctx context.Context,
) (answer *protocol.RefereeRegisterResponse, retry string, pause time.Duration, err error) {
	manager, request := r.application()
	under := r.applicant.Begin(manager, request.Meta.ContactEndpoint, request.LeagueID, request.ConversationID)
	defer under.End()
	reply, err := r.Node.CallUntil(ctx, under.Peer(), again, request)
	if no := under.Declined(); no != nil {
		return nil, "", 0, no
	}
	if why, pause := under.Retry(err); why != "" {
		return nil, why, pause, nil
	}
	if err != nil {
		return nil, "", 0, fmt.Errorf("register with %s: %w", manager, err)
	}
	answer = reply.(*protocol.RefereeRegisterResponse)
	if answer.Later() {
		return nil, *answer.Reason, again, nil
	}
	g, retry, err := r.place(answer, under)
	if err != nil || retry != "" {
		return answer, retry, again, err
	}
	err = r.admitted(ctx, g)
	r.goOn(answer.NextLeagueID)
	return answer, "", 0, err
}

// application returns the request for a place, and its receiver. A ticket of a third-party manager is shown again.
func (r *Referee) application() (manager string, m *protocol.RefereeRegisterRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	token := r.opts.JoinKey
	if !r.grant.Native {
		token = cmp.Or(r.grant.Token, token)
	}
	return r.manager, &protocol.RefereeRegisterRequest{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeRefereeRegisterRequest, AuthToken: token, LeagueID: r.grant.League,
			// only the manager has it: its challenge shows it
			ConversationID: "conv-ref-" + slug(r.name) + "-reg-" + r.Node.Nonce(12),
		},
		Meta: protocol.AgentMeta{
			DisplayName: r.name, Version: r.opts.Version, Build: rpc.Build(), ProtocolVersion: protocol.Release, GameTypes: r.opts.GameTypes,
			ContactEndpoint: r.url, MaxConcurrentMatches: r.opts.MaxMatches, Native: true,
			PublicKey: r.applicant.PublicKey(), AgreementKey: r.applicant.AgreementKey(),
		},
	}
}

// place returns the manager's grant: the place of its challenge, or the ticket of a third-party manager. It returns
// the reason for a retry, if one is needed.
func (r *Referee) place(
	answer *protocol.RefereeRegisterResponse, under *rpc.Registration,
) (g protocol.Grant, retry string, err error) {
	if g, err = answer.Granted(r.id()); err != nil {
		return g, "", err // the earlier grant stays
	}
	p, taken := under.Taken()
	switch {
	case taken && p.ID != g.ID:
		return g, "", fmt.Errorf("the manager challenged this referee as %s but then registered it as %q; start it again",
			p.ID, g.ID)
	case taken:
		return grantOf(p), "", nil
	case g.Native:
		r.mu.Lock()
		defer r.mu.Unlock()
		return g, "the manager accepted the registration, and did not challenge this referee at " + r.url +
			"; check that it can reach this address", nil
	}
	return g, "", nil
}

// grantOf returns the grant for a place in a native league.
func grantOf(p rpc.Membership) protocol.Grant {
	return protocol.Grant{ID: p.ID, Token: p.Token, League: p.LeagueID, Seal: p.Seal, Native: true}
}

// settleIn adopts a grant.
func (r *Referee) settleIn(g protocol.Grant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.grant, r.registered = g, true
	r.Node.SetSender(protocol.Sender(protocol.RoleReferee, g.ID))
}

// admitted adopts the manager's grant. The first time it also reports the results left by an earlier run.
func (r *Referee) admitted(ctx context.Context, g protocol.Grant) (err error) {
	r.settleIn(g)
	r.Node.Logger.Info("registered as "+g.ID+" in "+g.League, slog.String("event_type", "REGISTERED"),
		slog.String("referee_id", g.ID), slog.String("league_id", g.League))
	r.untold.Do(func() {
		if !g.Native {
			r.running.Go(r.fetch)
		}
		err = r.tellUntold(ctx)
	})
	return err
}

// tellUntold announces the results that an earlier run did not, in the current league and to the current manager.
// Those of other leagues wait for theirs.
func (r *Referee) tellUntold(ctx context.Context) error {
	r.mu.Lock()
	league, manager := r.grant.League, r.manager
	r.mu.Unlock()
	for f, err := range r.opts.Recorder.Unreported(ctx) {
		if err != nil {
			return fmt.Errorf("read unreported records: %w", err)
		}
		if f.Record.LeagueID != league {
			continue
		}
		f.Start.ReportTo = manager
		if r.abroad() {
			r.ends.take(f.Record.Ref())
		}
		r.running.Go(func() { r.tell(r.base, &f) })
	}
	return r.resumeAll(ctx, league, manager)
}
