package referee

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Register asks the manager for a place among its referees, every two seconds
// until it is there, and then tells what an earlier run could not.
func (r *Referee) Register(ctx context.Context, manager, endpoint string) error {
	r.mu.Lock()
	r.manager, r.url = manager, endpoint
	r.mu.Unlock()
	// some managers grant whatever is asked for
	if home := protocol.HomeID(protocol.RoleReferee, endpoint); r.opts.ID == "" && home != "" && !r.Node.Strict {
		r.Node.SetSender(protocol.Sender(protocol.RoleReferee, home))
	}
	_, err := r.register(ctx, "")
	return err
}

// register asks for a place, one request at a time: the manager speaks with
// the token that it granted last. If it was to replace a token that was
// refused, and another request has done so, it returns nil. With an answer
// that is no admission it returns both, the answer and the error.
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
	return r.apply(ctx)
}

// apply asks for a place, and again as long as the manager says that it may get one later.
func (r *Referee) apply(ctx context.Context) (*protocol.RefereeRegisterResponse, error) {
	manager, request := r.application()
	defer r.applicant.Begin(manager, request.Meta.ContactEndpoint, request.LeagueID, request.ConversationID)()
	back := r.unwelcome()
	reply, err := r.Node.CallUntil(ctx, rpc.Peer{Endpoint: manager}, again, request)
	if err != nil {
		return nil, fmt.Errorf("register with %s: %w", manager, err)
	}
	answer := reply.(*protocol.RefereeRegisterResponse)
	if answer.Later() {
		back()
		r.Node.Logger.Warn("not registered yet", slog.String("why", protocol.Plain(*answer.Reason)))
		if err := r.Node.Sleep(ctx, "register again", again); err != nil {
			return nil, err
		}
		return r.apply(ctx)
	}
	g, err := r.place(answer, request.AuthToken)
	if err != nil {
		back()
		return answer, err
	}
	err = r.admitted(ctx, g)
	r.goOn(answer.NextLeagueID)
	return answer, err
}

// application is the request for a place, and to whom it goes.
func (r *Referee) application() (manager string, m *protocol.RefereeRegisterRequest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	token := cmp.Or(r.grant.Token, r.applicant.Token(r.manager, r.grant.League), r.opts.JoinKey)
	return r.manager, &protocol.RefereeRegisterRequest{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeRefereeRegisterRequest, AuthToken: token, LeagueID: r.grant.League,
			// only the manager knows it: its welcome shows it
			ConversationID: "conv-ref-" + slug(r.name) + "-reg-" + r.Node.Nonce(12),
		},
		Meta: protocol.AgentMeta{
			DisplayName: r.name, Version: r.opts.Version, ProtocolVersion: protocol.Release, GameTypes: r.opts.GameTypes,
			ContactEndpoint: r.url, MaxConcurrentMatches: r.opts.MaxMatches, Native: true,
			PublicKey: r.applicant.PublicKey(),
		},
	}
}

// admitted takes what the manager grants. The first time it also takes up what
// an earlier run left untold.
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

// tellUntold tells the ends of matches that an earlier run did not get told, in
// the league that this referee is in now and to the manager that it has now.
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
