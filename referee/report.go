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

// report sends the result to the manager until it has acknowledged or refused it for good. If the manager does not
// recognize this referee any more, the referee requests a new token first.
func (a *announcer) report(ctx context.Context, f *Finished) error {
	m, err := f.report()
	if err != nil {
		return err
	}
	m.Dialects, m.RoundForm = dialectsOf(a.node, &f.Start), f.Start.RoundForm
	ctx, done := a.reporters.only(ctx, f.Record.Ref())
	defer done()
	for k, unknown := 0, 0; ; k++ {
		if k > 1 && a.node.Backoff(ctx, f.Start.ReportTo, "report "+f.Record.MatchID, again) != nil {
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
			a.awaited.isEnough()
		}
		if unknown == maxUnknown || a.manager.refusedForGood(ctx, err, token) {
			break
		}
	}
	return a.reported(ctx, f)
}

// reported notes that the manager has a result, or will never take it.
func (a *announcer) reported(ctx context.Context, f *Finished) error {
	a.settle(&f.Start)
	return a.opts.Recorder.Reported(ctx, f.Record.Ref())
}

// reportOnce sends the manager a result until it gets an answer. For a foreign manager a draw uses the detected word,
// and after k refusals another.
func (a *announcer) reportOnce(ctx context.Context, m *protocol.MatchResultReport, f *Finished, k int) error {
	g := a.manager.granted()
	m.AuthToken = ""
	to := a.manager.peer(f.Start.ReportTo)
	if g.Native {
		_, err := a.node.CallUntil(ctx, to, again, m)
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

// slowAck is how long a third-party manager may take to acknowledge a report. Some send the table to all players first,
// with retries.
const slowAck = time.Minute

// deliver reports a result to a third-party manager until it answers. Such a manager may count every report that it
// gets: a report that timed out is repeated only while the manager's table lacks its match.
func (a *announcer) deliver(
	ctx context.Context, to rpc.Peer, m *protocol.MatchResultReport, f *Finished,
) (ack protocol.Message, err error) {
	for {
		ack, err = a.node.Call(rpc.Within(ctx, time.Now().Add(slowAck)), to, m)
		if err == nil || !rpc.Passing(err) {
			return ack, err
		}
		if protocol.Is(err, protocol.Timeout) {
			table := a.manager.query(ctx, protocol.QueryStandings).Standings
			if a.draws.counted(table, m.RoundID, f.Start.PlayerA.ID, f.Start.PlayerB.ID) {
				return nil, nil
			}
		}
		if err := a.node.Backoff(ctx, to.Endpoint, "report "+m.MatchID+" again", again); err != nil {
			return nil, cmp.Or(context.Cause(ctx), err)
		}
	}
}

// maxUnknown limits the answers of a third-party manager that it accepts no reports, before this report is dropped.
const maxUnknown = 3

// takesNoReport reports whether a manager has no method for a report.
func takesNoReport(err error) bool {
	var refusal *protocol.Refusal
	return errors.As(err, &refusal) && refusal.Name == "" &&
		(refusal.HTTPStatus == http.StatusNotFound || refusal.Code == protocol.MethodNotFound)
}
