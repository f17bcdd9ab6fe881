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
func (r *Referee) report(ctx context.Context, f *Finished) error {
	m, err := newReport(f)
	if err != nil {
		return err
	}
	m.Dialects, m.RoundForm = dialectsOf(r.Node, &f.Start), f.Start.RoundForm
	ctx, done := r.reporters.only(ctx, f.Record.Ref())
	defer done()
	for k, unknown := 0, 0; ; k++ {
		if k > 1 && r.Node.Sleep(ctx, "report "+f.Record.MatchID, again) != nil {
			return context.Cause(ctx)
		}
		token := r.Granted().Token
		err := r.reportOnce(ctx, m, f, k)
		if err == nil || protocol.Is(err, protocol.InvalidMessage) { // any answer that is no error acknowledges
			break
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.Node.Logger.Warn("the manager refuses a result", slog.String("match_id", f.Record.MatchID), slog.Any("error", err))
		if takesNoReport(err) && r.abroad() {
			unknown++
		}
		if unknown == maxUnknown {
			r.awaited.isEnough()
		}
		if unknown == maxUnknown || r.refusedForGood(ctx, err, token) {
			break
		}
	}
	return r.reported(ctx, f)
}

// reported notes that the manager has a result, or will never take it.
func (r *Referee) reported(ctx context.Context, f *Finished) error {
	r.settled(&f.Start)
	return r.opts.Recorder.Reported(ctx, f.Record.Ref())
}

// reportOnce sends the manager a result until it gets an answer. For a foreign manager a draw uses the detected word,
// and after k refusals another.
func (r *Referee) reportOnce(ctx context.Context, m *protocol.MatchResultReport, f *Finished, k int) error {
	g := r.Granted()
	m.AuthToken = ""
	to := r.managerAt(f.Start.ReportTo)
	if g.Native {
		_, err := r.Node.CallUntil(ctx, to, again, m)
		return err
	}
	done, word := func() {}, 0
	if m.Result.Details.Status == protocol.Draw {
		done = r.draws.alone(ctx)
		word = (r.draws.first() + k) % len(drawn)
		m.Result.Winner = drawn[word]
	}
	ack, err := r.deliver(ctx, to, m, f)
	if err != nil {
		done()
		return err
	}
	r.running.Go(func() {
		defer done()
		if !r.draws.took(m, word, f.Start.PlayerA.ID, f.Start.PlayerB.ID) {
			return
		}
		ask := func() []protocol.Standing { return r.query(r.base, protocol.QueryStandings).Standings }
		if r.draws.learn(ack, ask) {
			r.Node.Logger.Warn(r.draws.warning())
		}
	})
	return nil
}

// slowAck is how long a third-party manager may take to acknowledge a report. Some send the table to all players first,
// with retries.
const slowAck = time.Minute

// deliver reports a result to a third-party manager until it answers. Such a manager may count every report that it
// gets: a report that timed out is repeated only while the manager's table lacks its match.
func (r *Referee) deliver(
	ctx context.Context, to rpc.Peer, m *protocol.MatchResultReport, f *Finished,
) (ack protocol.Message, err error) {
	for {
		ack, err = r.Node.Call(rpc.Within(ctx, time.Now().Add(slowAck)), to, m)
		if err == nil || !rpc.Passing(err) {
			return ack, err
		}
		if protocol.Is(err, protocol.Timeout) {
			table := r.query(ctx, protocol.QueryStandings).Standings
			if r.draws.counted(table, m.RoundID, f.Start.PlayerA.ID, f.Start.PlayerB.ID) {
				return nil, nil
			}
		}
		if err := r.Node.Sleep(ctx, "report "+m.MatchID+" again", again); err != nil {
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

// refusedForGood reports whether the manager will never count a result. If it
// only refuses the referee's token, a new one is asked for.
func (r *Referee) refusedForGood(ctx context.Context, err error, token string) bool {
	var refusal *protocol.Refusal
	stranger := errors.Is(err, protocol.ErrUnauthenticated) // or a manager that does not recognize this referee any more
	if !stranger && (!errors.As(err, &refusal) || refusal.Name == "") {
		return false // not an answer of our managers: another program answers in its place
	}
	if !stranger && refusal.Name != protocol.AuthTokenInvalid.Name && refusal.Name != protocol.RefereeNotRegistered.Name {
		return true
	}
	if _, err := r.register(ctx, token); err != nil {
		r.Node.Logger.Warn("the manager does not accept this referee again", slog.Any("error", err))
	}
	return false
}

// maxTold limits the finished matches that get_match_state can return.
const maxTold = 128

// settled frees the memory of a match once its result is reported.
func (r *Referee) settled(start *protocol.StartMatch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.matches[keyOf(start)]
	if m == nil || m.start.Attempt != start.Attempt || !m.settle() {
		return
	}
	r.told = append(r.told, m)
	if len(r.told) <= maxTold {
		return
	}
	oldest := r.told[0]
	r.told = r.told[1:]
	if r.matches[keyOf(oldest.start)] == oldest {
		delete(r.matches, keyOf(oldest.start))
	}
}

// newReport writes a record as the report of its result.
func newReport(f *Finished) (*protocol.MatchResultReport, error) {
	if f.hash == "" {
		if _, err := f.Document(); err != nil {
			return nil, err
		}
	}
	return f.Record.Report(f.hash), nil
}
