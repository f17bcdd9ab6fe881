package manager

import (
	"context"
	"log/slog"
	"time"

	"agentleague/league"
	"agentleague/league/registration"
	"agentleague/protocol"
)

// Orders executes the admin's orders. It is safe for concurrent use. The log records each order with its time and its
// origin: a message, a page or the program itself.
type Orders struct {
	*core
	*ledger
	*jobs
	auth       *authenticator
	lobby      *lobby
	registrar  *registration.Registrar
	dispatch   *dispatcher
	records    *collector
	drainState *drainState
}

// PlaySeasons sets the total number of seasons to n. The next one is created when this one is over.
func (org *Orders) PlaySeasons(ctx context.Context, n int, by string) error {
	if org.opts.Seasons == nil {
		return protocol.Errorf(protocol.InvalidMessage, "this manager plays no further seasons")
	}
	return org.opts.Seasons(ctx, n, by)
}

// Start starts the league with the agents that have registered. It does nothing in a league that has started or is
// starting.
func (org *Orders) Start(ctx context.Context, by string) error {
	org.info("start ordered", slog.String("by", league.Origin(by)))
	return org.Do(ctx, func(s *league.State) ([]league.Event, error) {
		switch {
		case s.Completed():
			return nil, protocol.Errorf(protocol.LeagueAlreadyComplete, "the league is over and cannot be started again; "+
				"play its next season with `league seasons`, or create a league like it with `league create`")
		case s.Started() || s.Ordered:
			return nil, nil
		}
		if missing := org.lobby.startObstacle(s); missing != "" {
			return nil, protocol.Errorf(protocol.LeagueNotStarted, "the league cannot start yet: %s", missing).
				Suggest("Start it once enough agents have registered")
		}
		return []league.Event{league.StartOrdered{By: league.Origin(by)}}, nil
	})
}

// Pause stops further matches from starting, also when another manager opens the league. Matches in play are finished.
func (org *Orders) Pause(ctx context.Context, by string) error {
	org.info("pause ordered", slog.String("by", league.Origin(by)))
	return org.Do(ctx, func(s *league.State) ([]league.Event, error) {
		if s.Completed() {
			return nil, league.ErrOver()
		}
		if s.Paused {
			return nil, nil
		}
		return []league.Event{league.Paused{By: league.Origin(by)}}, nil
	})
}

// Resume continues the league after a pause or a drain.
func (org *Orders) Resume(ctx context.Context, by string) error {
	org.info("resume ordered", slog.String("by", league.Origin(by)))
	err := org.Do(ctx, func(s *league.State) ([]league.Event, error) {
		if !s.Paused && org.drainState.orderedBy() == "" {
			return nil, nil
		}
		return []league.Event{league.Resumed{By: league.Origin(by)}}, nil
	})
	if err == nil && org.drainState.orderedBy() != "" {
		org.Release()
	}
	return err
}

// Cancel ends the league, started or not. Recorded results stand, no other match is played, and every agent gets
// LEAGUE_COMPLETED. It does nothing in a league that was cancelled before.
func (org *Orders) Cancel(ctx context.Context, by string) error {
	org.info("cancellation ordered", slog.String("by", league.Origin(by)))
	err := org.Do(ctx, func(s *league.State) ([]league.Event, error) {
		switch {
		case s.Cancelled:
			return nil, nil
		case s.Completed():
			return nil, league.ErrOver()
		}
		return []league.Event{league.Cancelled{DrawSecret: org.keys.DrawSecret(), By: league.Origin(by)}}, nil
	})
	if err == nil {
		org.kick()
	}
	return err
}

// Drain stops further matches from starting. It returns nil when those in play are recorded or when the disk is full,
// and an error when ctx ends. The league continues when an operator resumes it or a manager opens it again. The log
// records the first such order, unless by is empty.
func (org *Orders) Drain(ctx context.Context, by string) error {
	org.BeginDrain(ctx, by)
	named := time.Now().Add(drainLogDelay)
	for org.dispatch.playing() && org.pauseReason() == "" {
		if !named.IsZero() && time.Now().After(named) {
			named = time.Time{}
			org.warn("waiting for the matches in play: " + org.dispatch.inPlay())
		}
		if err := org.Node.Sleep(ctx, "drain", 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// drainLogDelay is the delay after which a drain logs the matches that it waits for.
const drainLogDelay = 2 * time.Second

// BeginDrain stops further matches from starting. It does not wait for those in play.
func (org *Orders) BeginDrain(ctx context.Context, by string) {
	by = league.Origin(by)
	org.info("drain ordered", slog.String("by", by))
	if first := org.drainState.begin(by); !first || by == "" {
		return
	}
	// A failed write does not prevent shutdown.
	_ = org.Do(ctx, func(s *league.State) ([]league.Event, error) {
		if s.Completed() {
			return nil, nil
		}
		return []league.Event{league.Drained{By: by}}, nil
	})
}

// Release ends a Drain, or the hold of a league that was opened with Options.Hold, so that matches may start.
func (org *Orders) Release() {
	org.drainState.end()
	org.kick()
}

// Rest keeps a player, by its id or name, out of the next rounds, without forfeits; 0 rounds end its rest.
func (org *Orders) Rest(ctx context.Context, id string, rounds int, by string) error {
	return org.Do(ctx, func(s *league.State) ([]league.Event, error) {
		return org.opts.scheduling().Rest(s, s.Called(id), rounds, league.Origin(by))
	})
}

// Withdraw takes a player out of the league, by its id or name. Its results stand.
func (org *Orders) Withdraw(ctx context.Context, id, by string) error {
	org.info("withdrawal ordered", slog.String("player_id", league.Clip(id)), slog.String("by", league.Origin(by)))
	return org.Do(ctx, func(s *league.State) ([]league.Event, error) {
		id := s.Called(id)
		a := s.Agents[id]
		if a == nil || a.Role != protocol.RolePlayer {
			return nil, protocol.Errorf(protocol.PlayerNotRegistered, "no player %q has registered", id).
				With("player_id", id)
		}
		if s.Completed() {
			return nil, league.ErrOver()
		}
		if a.State == protocol.AgentShutdown {
			return nil, nil
		}
		return []league.Event{league.Withdrawn{ID: id, By: league.Origin(by)}}, nil
	})
}

// Annul strikes the result of a match, which is played again under another draw.
func (org *Orders) Annul(ctx context.Context, match, why, by string) error {
	err := org.Do(ctx, func(s *league.State) ([]league.Event, error) {
		found := s.Matches[match]
		switch {
		case s.Completed():
			return nil, league.ErrOver()
		case found == nil:
			return nil, protocol.Errorf(protocol.MatchNotFound, "no match %q has been played", league.Clip(match)).
				With("match_id", league.Clip(match))
		case found.Outcome == nil:
			return nil, protocol.Errorf(protocol.MatchNotFound, "%s has no result yet", match).With("match_id", match)
		case league.PlayedOn(s, found):
			return nil, protocol.Errorf(protocol.InvalidMessage, "a player of %s has played on: annul its later match first", match)
		}
		return []league.Event{league.Annulled{Match: match, Why: league.ClipTo(protocol.Plain(why), 500),
			By: league.Origin(by)}}, nil
	})
	if err != nil {
		return err
	}
	org.warn("a result was annulled", slog.String("match_id", match), slog.String("why", protocol.Plain(why)),
		slog.String("by", league.Origin(by)))
	org.records.markMissing(match)
	org.kick()
	return nil
}
