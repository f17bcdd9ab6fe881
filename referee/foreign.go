package referee

import (
	"context"
	"errors"
	"log/slog"

	"agentleague/protocol"
	"agentleague/rpc"
)

// Foreign managers start matches in different ways: by announcing a round to the referees, or on request. They do not
// wait for a busy referee, so their orders are queued here.

// announced plays the matches of a round for which this referee is named. A
// manager of ours orders each of them besides.
func (r *Referee) announced(_ context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
	news := m.(*protocol.RoundAnnouncement)
	if err := r.fromManager(m.Head()); err != nil {
		return nil, err
	}
	if !r.Granted().Native {
		for _, match := range news.Matches {
			if r.isNamed(match) {
				start := orderOf(news, match)
				hintDialect(start, from.Dialect)
				r.queue(start)
			}
		}
	}
	return &protocol.Ack{
		Envelope: protocol.Envelope{MessageType: protocol.TypeRoundAnnouncementAck, LeagueID: news.LeagueID,
			RoundID: news.RoundID},
		Status: protocol.Acknowledged,
	}, nil
}

// isNamed reports whether an announced match is this referee's. A match without a referee belongs to every referee
// that receives the announcement.
func (r *Referee) isNamed(match protocol.AnnouncedMatch) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case match.RefereeEndpoint != "":
		return match.RefereeEndpoint == r.url || match.RefereeID == r.grant.ID
	case match.RefereeID != "":
		return match.RefereeID == r.grant.ID
	}
	return true
}

// orderOf converts an announced match into an order.
func orderOf(news *protocol.RoundAnnouncement, match protocol.AnnouncedMatch) *protocol.StartMatch {
	return &protocol.StartMatch{
		Envelope: protocol.Envelope{LeagueID: news.LeagueID, RoundID: news.RoundID, RoundForm: news.RoundForm,
			MatchID: match.MatchID},
		GameType: match.GameType, Attempt: match.Attempt,
		PlayerA: protocol.Contender{ID: match.PlayerAID, Endpoint: match.PlayerAEndpoint},
		PlayerB: protocol.Contender{ID: match.PlayerBID, Endpoint: match.PlayerBEndpoint},
	}
}

// queue plays an order of a foreign manager as soon as there is room for it.
func (r *Referee) queue(start *protocol.StartMatch) {
	fillIn(start, r.Granted())
	if !r.waitingOrders.enter(keyOf(start)) {
		return
	}
	r.running.Go(func() {
		defer r.waitingOrders.leave(keyOf(start))
		r.mu.Lock()
		m, manager := r.matches[keyOf(start)], r.manager
		r.mu.Unlock()
		if m != nil && m.start.Attempt == start.Attempt { // it is played, or was
			return
		}
		err := r.players.locate(start, manager)
		if err == nil {
			err = r.complete(start)
		}
		for err == nil {
			var status string
			if status, err = r.take(r.base, start); status != protocol.Busy {
				break
			}
			err = r.Node.Sleep(r.base, "queue "+start.MatchID, again)
		}
		if err != nil && r.base.Err() == nil {
			r.Node.Logger.Warn("a match cannot be played", slog.String("match_id", start.MatchID), slog.Any("error", err))
		}
	})
}

// query sends a query to a foreign manager. Any other reply or an error yields an empty response.
func (r *Referee) query(ctx context.Context, query string) *protocol.LeagueQueryResponse {
	r.mu.Lock()
	manager, g := r.manager, r.grant
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, searching)
	defer cancel()
	reply, err := r.Node.Call(ctx, r.managerAt(manager), &protocol.LeagueQuery{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueQuery, ConversationID: "conv-query-" + g.ID,
			LeagueID: g.League},
		QueryType: query,
	})
	if answer, ok := reply.(*protocol.LeagueQueryResponse); ok && err == nil {
		return answer
	}
	return &protocol.LeagueQueryResponse{}
}

// fetch polls a foreign manager for matches, unless the first call fails.
func (r *Referee) fetch() {
	for handsOut := false; r.Node.Sleep(r.base, "fetch", again) == nil; {
		r.mu.Lock()
		manager, g := r.manager, r.grant
		r.mu.Unlock()
		reply, err := r.Node.CallUntil(r.base, r.managerAt(manager), again,
			&protocol.GetAssignedMatches{Envelope: protocol.Envelope{
				MessageType: protocol.TypeAssignedMatches, ConversationID: "conv-assigned-" + g.ID,
				LeagueID: g.League,
			}, RefereeID: g.ID})
		if g.Native || err != nil && !handsOut {
			return
		}
		if err != nil {
			r.Node.Logger.Warn("no matches are handed out this time", slog.Any("error", err))
			continue
		}
		handsOut = true
		for _, raw := range reply.(*protocol.Assignments).Matches {
			m, err := rpc.Read(raw, protocol.TypeStartMatch)
			if start, ok := m.(*protocol.StartMatch); ok && err == nil {
				r.queue(start)
				continue
			}
			r.Node.Logger.Warn("a match cannot be read", slog.Any("error", err))
		}
	}
}

// lookElsewhere requeues a match that ended because another player answered at an assumed port, if that revealed a
// new player's endpoint.
func (r *Referee) lookElsewhere(start *protocol.StartMatch, err error) {
	var elsewhere *elsewhereError
	if !errors.As(err, &elsewhere) || !r.players.shown.note(elsewhere.endpoint, elsewhere.shown) {
		return
	}
	next := *start
	for _, c := range []*protocol.Contender{&next.PlayerA, &next.PlayerB} {
		if c.Assumed {
			c.Endpoint, c.Assumed = "", false
		}
	}
	r.queue(&next)
}
