// Package standalone plays a whole league in one process: a manager, its referees and its players.
//
//	Find ─▶ the league ── Open ─▶ server ── Enter ─▶ agents ── Play ─▶ all seasons ── Close
//
// An interrupt ends the context of the caller. The server and the agents live on until the matches in progress are
// over, and end with Close.
package standalone

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"agentleague/host"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/rpc/connlimit"
	"agentleague/server"
	"agentleague/store/logs"
)

// A Run is a league that is played in this process.
type Run struct {
	Server *server.Server
	Last   *server.League // the season in progress or, after Play, the last one

	env    *host.Env
	crew   crew
	agents *host.Crew
	began  time.Time
	log    *slog.Logger // of the whole run, in the data directory
	file   *logs.Log
	life   context.Context // of the server and the agents
	stop   context.CancelFunc
}

// ErrInterrupted means that the context of a run has ended before the league.
var ErrInterrupted = errors.New("interrupted")

// Open opens a league and serves it. The league starts when all agents have entered. Edit changes its options.
func Open(ctx context.Context, h *host.Env, o Options, edit func(*manager.Options)) (*Run, error) {
	r := &Run{env: h, began: time.Now()}
	var err error
	if r.crew, err = planned(h, o); err != nil {
		return nil, err
	}
	if err := r.crew.checkFileLimit(connlimit.FileLimit()); err != nil {
		return nil, err
	}
	r.life, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	r.Server, err = server.Open(r.life, h, server.Options{Port: r.crew.port, Shared: r.crew.shared, Edit: func(o *manager.Options) {
		o.Hold = true
		edit(o)
	}})
	if err != nil {
		r.stop()
		return nil, err
	}
	r.Server.Opened() // it has no other leagues
	r.Last = r.Server.First
	r.log, r.file = h.Orchestrator()
	// From here on the log has an end for every start.
	players, referees, at := len(r.crew.players), len(r.crew.referees), r.Server.At.URL
	r.log.Info(fmt.Sprintf("the run started: %d players and %d referees, the manager at %s", players, referees, at),
		slog.String("event_type", "RUN_STARTED"), slog.Int("players", players), slog.Int("referees", referees),
		slog.String("endpoint", at))
	return r, nil
}

// Enter starts the agents. The players join by keys, so that an invited-only league admits them, under their names.
func (r *Run) Enter(ctx context.Context) {
	first := r.Server.First
	keys := first.Invite(ctx, len(r.crew.players), func(n int) string { return r.crew.players[n].Name })
	r.agents = r.crew.start(ctx, r.life, r.env, r.Server.At.URL, keys, r.log)
	r.agents.Then(first.Manager.Orders.Release)
}

// Play plays one season after the other until the last is over. Follow shows a season and returns when it is over or
// ctx ends, which it does when an agent has failed: without that agent the league cannot continue.
func (r *Run) Play(ctx context.Context, follow func(ctx context.Context, l *server.League)) error {
	for {
		m := r.Last.Manager
		follow(r.agents.Context, r.Last)
		select {
		case <-m.Done():
		case <-m.Ended():
			return m.Err()
		case <-r.agents.Context.Done():
			switch {
			case isOver(m):
			case ctx.Err() != nil:
				return ErrInterrupted
			default:
				return context.Cause(r.agents.Context)
			}
		}
		next, err := r.Server.Organizer.After(r.Last)
		if err != nil || next == nil {
			return err
		}
		r.Last = next
	}
}

// Over reports whether the last season is over, and waits for its end if it has all results.
func (r *Run) Over() bool {
	m, s := r.Last.Manager, r.snapshot()
	wait := time.Duration(0)
	if s.TotalMatches > 0 && s.Version == s.TotalMatches {
		wait = server.Patience
	}
	select {
	case <-m.Done():
		return true
	case <-time.After(wait):
		return isOver(m)
	}
}

// isOver reports whether a league is over.
func isOver(m *manager.Manager) bool {
	select {
	case <-m.Done():
		return true
	default:
		return false
	}
}

// snapshot is the state of the last season.
func (r *Run) snapshot() (s league.Snapshot) {
	r.Last.Manager.Read(func(state *league.State) { s = state.Snapshot() })
	return s
}

// Close ends the agents and the server.
func (r *Run) Close() error {
	r.stop()
	r.agents.Wait()
	return r.Server.Wait()
}

// Report writes the end of the run to its log: why it failed, or that it was interrupted.
func (r *Run) Report(err error) {
	defer r.file.Close()
	recorded := r.snapshot().Version
	// Seconds, to the millisecond.
	facts := []any{slog.Float64("elapsed_sec", float64(r.Took().Milliseconds())/1000), slog.Int("matches_count", recorded)}
	switch {
	case errors.Is(err, ErrInterrupted):
		r.log.Warn("the run was interrupted", append(facts, slog.String("event_type", "RUN_INTERRUPTED"))...)
	case err != nil:
		r.log.Error("the run failed: "+err.Error(), append(facts, slog.String("event_type", "RUN_FAILED"))...)
	default:
		r.log.Info(fmt.Sprintf("the run ended after %d matches", recorded), append(facts, slog.String("event_type", "RUN_ENDED"))...)
	}
}

// Took returns the time since the start.
func (r *Run) Took() time.Duration { return time.Since(r.began) }
