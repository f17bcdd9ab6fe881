package referee

import (
	"context"
	"log/slog"

	"agentleague/protocol"
	"agentleague/rpc"
)

// peerOf returns how a player is reached.
func peerOf(c protocol.Contender) rpc.Peer {
	return rpc.Peer{Endpoint: c.Endpoint, Dialect: c.Dialect, Token: c.Token}
}

// dialects tells how players of other makes are spoken to, so that no other
// referee has to find out again.
func (r *Referee) dialects(start *protocol.StartMatch) map[string]string {
	out := map[string]string{}
	for _, c := range []protocol.Contender{start.PlayerA, start.PlayerB} {
		if now := r.Node.Dialect(peerOf(c)); now != "" && now != protocol.Canonical {
			out[c.ID] = now
		}
	}
	return out
}

// taught returns an order as it is kept: with all that is known by now of how
// its players are spoken to, without what the manager showed with it.
func (r *Referee) taught(start protocol.StartMatch) protocol.StartMatch {
	start.AuthToken = ""
	start.PlayerA.Dialect = r.Node.Dialect(peerOf(start.PlayerA))
	start.PlayerB.Dialect = r.Node.Dialect(peerOf(start.PlayerB))
	return start
}

// keepTaught lets whoever tells the end of a match after this run know what
// telling it has taught. It returns before the result is reported, since the
// referee may be gone as soon as the manager has that.
func (r *Referee) keepTaught(ctx context.Context, f Finished) {
	r.teaching.Lock()
	defer r.teaching.Unlock()
	start := r.taught(f.Start)
	if start.PlayerA.Dialect == f.Start.PlayerA.Dialect && start.PlayerB.Dialect == f.Start.PlayerB.Dialect {
		return
	}
	f.Start = start
	if err := r.opts.Recorder.Learned(ctx, f); err != nil {
		r.Node.Logger.Warn("what a match has taught of its players' dialects is not kept: they may be asked again",
			slog.String("match_id", f.Record.MatchID), slog.Any("error", err))
	}
}
