package referee

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// An orderQueue queues the orders of third-party managers while the referee is busy, since such managers do not retry.
// They order matches in different ways: by announcing a round to the referees, or in answers to polling.
type orderQueue struct {
	*env
	orders  *orders
	results *announcer
	players locator

	mu      sync.Mutex
	waiting map[matchKey]bool // each match once, however often it is listed
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

// add queues an order of a third-party manager and plays it as soon as there is capacity.
func (q *orderQueue) add(start *protocol.StartMatch) {
	fillIn(start, q.manager.granted())
	if !q.claim(keyOf(start)) {
		return
	}
	q.running.Go(func() {
		defer q.release(keyOf(start))
		m := q.orders.matches.newest(keyOf(start))
		if m != nil && m.start.Attempt == start.Attempt { // it is played, or was
			return
		}
		err := q.players.locate(start)
		if err == nil {
			err = q.orders.complete(start)
		}
		for err == nil {
			var status string
			if status, err = q.orders.take(q.base, start); status != protocol.Busy {
				break
			}
			err = q.node.Sleep(q.base, "queue "+start.MatchID, retryInterval)
		}
		if err != nil && q.base.Err() == nil {
			q.node.Logger.Warn("a match cannot be played", slog.String("match_id", start.MatchID), slog.Any("error", err))
		}
	})
}

// fetch polls a third-party manager for matches every two seconds. It stops if the first poll fails. If the referee
// imitates a documented profile it does nothing, since no document describes polling.
func (q *orderQueue) fetch() {
	if q.node.Profile != nil {
		return
	}
	for handsOut := false; q.node.Sleep(q.base, "fetch", retryInterval) == nil; {
		manager, g := q.manager.at()
		reply, err := q.node.CallUntil(q.base, q.manager.peer(manager), retryInterval,
			&protocol.GetAssignedMatches{Envelope: protocol.Envelope{
				MessageType: protocol.TypeAssignedMatches, ConversationID: "conv-assigned-" + g.ID,
				LeagueID: g.League,
			}, RefereeID: g.ID})
		if g.Native || err != nil && !handsOut {
			return
		}
		if err != nil {
			q.node.Logger.Warn("no matches are handed out this time", slog.Any("error", err))
			continue
		}
		handsOut = true
		for _, raw := range reply.(*protocol.Assignments).Matches {
			m, err := rpc.Read(raw, protocol.TypeStartMatch)
			if start, ok := m.(*protocol.StartMatch); ok && err == nil {
				q.add(start)
				continue
			}
			q.node.Logger.Warn("a match cannot be read", slog.Any("error", err))
		}
	}
}

// searchAgain requeues a match that ended because another player answered at an assumed port. It does nothing if this
// player showed no id, or one that was already known.
func (q *orderQueue) searchAgain(start *protocol.StartMatch, err error) {
	var elsewhere *elsewhereError
	if !errors.As(err, &elsewhere) || !q.players.shown.note(elsewhere.endpoint, elsewhere.shown) {
		return
	}
	next := *start
	for _, c := range []*protocol.Contender{&next.PlayerA, &next.PlayerB} {
		if c.Assumed {
			c.Endpoint, c.Assumed = "", false
		}
	}
	q.add(&next)
}

// resultTimeout is how long the answer to [runMatch] waits for the result. It is below the server's write timeout of
// one minute.
const resultTimeout = 50 * time.Second

// acceptAndWait accepts an order of a third-party manager and waits for the result of its match. result is nil if the
// match is refused or takes too long.
func (q *orderQueue) acceptAndWait(
	ctx context.Context, start *protocol.StartMatch,
) (status string, result *protocol.MatchResultReport, err error) {
	fillIn(start, q.manager.granted())
	if f, recorded, err := q.orders.recorded(ctx, start); recorded && err == nil {
		result, err = f.report()
		return protocol.Accepted, result, err
	}
	over := q.results.awaited.expect(protocol.RecordRef{LeagueID: start.LeagueID, MatchID: start.MatchID, Attempt: start.Attempt})
	if status, err = q.accept(ctx, start); err != nil || status != protocol.Accepted {
		return status, nil, err
	}
	wait := time.NewTimer(resultTimeout)
	defer wait.Stop()
	select {
	case result = <-over:
	case <-wait.C:
	case <-ctx.Done():
	}
	return status, result, nil
}

// accept executes an order, or queues the order of a third-party manager if the match cannot be played at once.
func (q *orderQueue) accept(ctx context.Context, start *protocol.StartMatch) (status string, err error) {
	foreign := q.manager.foreign()
	if foreign && unlocated(start) {
		q.add(start)
		return protocol.Accepted, nil
	}
	if err := q.orders.complete(start); err != nil {
		return "", err
	}
	status, err = q.orders.take(ctx, start)
	if status == protocol.Busy && foreign {
		q.add(start)
		status = protocol.Accepted
	}
	return status, err
}

// claim adds a match to the queue, and reports whether it was not queued yet.
func (q *orderQueue) claim(k matchKey) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting[k] {
		return false
	}
	if q.waiting == nil {
		q.waiting = map[matchKey]bool{}
	}
	q.waiting[k] = true
	return true
}

// release removes a match from the queue.
func (q *orderQueue) release(k matchKey) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.waiting, k)
}
