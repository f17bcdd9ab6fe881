package referee

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// report sends the result to the manager until the manager acknowledges it or refuses it permanently. If the manager
// does not recognize this referee any more, the referee registers again first.
func (a *announcer) report(ctx context.Context, f *Finished) error {
	m, err := f.report()
	if err != nil {
		return err
	}
	m.Dialects, m.RoundForm = dialectsOf(a.node, &f.Start), f.Start.RoundForm
	ctx, done := a.reporters.only(ctx, f.Record.Ref())
	defer done()
	for k, unknown := 0, 0; ; k++ {
		if k > 1 && a.node.Backoff(ctx, f.Start.ReportTo, "report "+f.Record.MatchID, retryInterval) != nil {
			return context.Cause(ctx)
		}
		token := a.manager.granted().Token
		err := a.reportOnce(ctx, m, f, k)
		if err == nil || protocol.Is(err, protocol.InvalidMessage) { // any answer that is no error acknowledges
			break
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		a.node.Logger.Warn("the manager refuses a result", slog.String("match_id", f.Record.MatchID), slog.Any("error", err))
		if takesNoReport(err) && a.manager.foreign() {
			unknown++
		}
		if unknown == maxUnknown {
			a.awaited.setAnswerSuffices()
		}
		if unknown == maxUnknown || a.manager.refusedForGood(ctx, err, token) {
			break
		}
	}
	return a.reported(ctx, f)
}

// reported records that the result of f is not to be sent again: the manager has it, or refuses it permanently.
func (a *announcer) reported(ctx context.Context, f *Finished) error {
	a.settle(&f.Start)
	return a.opts.Recorder.Reported(ctx, f.Record.Ref())
}

// reportOnce sends a result to the manager until the manager answers. To a third-party manager, a draw is sent with the
// winner value that it is known to accept; after k refusals another value is tried.
func (a *announcer) reportOnce(ctx context.Context, m *protocol.MatchResultReport, f *Finished, k int) error {
	g := a.manager.granted()
	m.AuthToken = ""
	to := a.manager.peer(f.Start.ReportTo)
	if g.Native {
		_, err := a.node.CallUntil(ctx, to, retryInterval, m)
		return err
	}
	done, word := func() {}, 0
	if m.Result.Details.Status == protocol.Draw {
		done = a.draws.alone(ctx)
		word = (a.draws.first() + k) % len(drawn)
		m.Result.Winner = drawn[word]
	}
	ack, err := a.deliver(ctx, to, m, f)
	if err != nil {
		done()
		return err
	}
	a.running.Go(func() {
		defer done()
		if !a.draws.took(m, word, f.Start.PlayerA.ID, f.Start.PlayerB.ID) {
			return
		}
		ask := func() []protocol.Standing { return a.manager.query(a.base, protocol.QueryStandings).Standings }
		if a.draws.learn(ack, ask) {
			a.node.Logger.Warn(a.draws.warning())
		}
	})
	return nil
}

// slowAckTimeout is the timeout for a third-party manager's acknowledgement of a report. Some managers first send the
// table to all players, with retries.
const slowAckTimeout = time.Minute

// deliver sends a result to a third-party manager until the manager answers. Such a manager may count each copy of a
// report: after a timeout the report is repeated only if the manager's table does not include the match yet.
func (a *announcer) deliver(
	ctx context.Context, to rpc.Peer, m *protocol.MatchResultReport, f *Finished,
) (ack protocol.Message, err error) {
	for {
		ack, err = a.node.Call(rpc.Within(ctx, time.Now().Add(slowAckTimeout)), to, m)
		if err == nil || !rpc.Passing(err) {
			return ack, err
		}
		if protocol.Is(err, protocol.Timeout) {
			table := a.manager.query(ctx, protocol.QueryStandings).Standings
			if a.draws.counted(table, m.RoundID, f.Start.PlayerA.ID, f.Start.PlayerB.ID) {
				return nil, nil
			}
		}
		if err := a.node.Backoff(ctx, to.Endpoint, "report "+m.MatchID+" again", retryInterval); err != nil {
			return nil, cmp.Or(context.Cause(ctx), err)
		}
	}
}

// maxUnknown is how often a third-party manager may answer that it has no method for reports, before the report is
// dropped.
const maxUnknown = 3

// takesNoReport reports whether an error means that the manager has no method for reports.
func takesNoReport(err error) bool {
	var refusal *protocol.Refusal
	return errors.As(err, &refusal) && refusal.Name == "" &&
		(refusal.HTTPStatus == http.StatusNotFound || refusal.Code == protocol.MethodNotFound)
}
