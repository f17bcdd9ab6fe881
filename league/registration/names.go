package registration

import (
	"context"
	"log/slog"

	"agentleague/league"
	"agentleague/league/naming"
	"agentleague/protocol"
	"agentleague/rpc"
)

// Rename gives an agent another name. Later registrations of the agent do not change it.
func (reg *Registrar) Rename(ctx context.Context, id, name, by string) error {
	name = naming.Clean(name)
	err := reg.cfg.League.Do(ctx, func(s *league.State) ([]league.Event, error) {
		a, err := agentCalled(s, id)
		switch {
		case err != nil:
			return nil, err
		case s.Completed():
			return nil, league.ErrOver()
		}
		if err := s.CheckRename(a, name); err != nil || a.Fixed && a.Name == name {
			return nil, err
		}
		id = a.ID
		return []league.Event{league.Renamed{ID: a.ID, Name: name, By: league.Origin(by)}}, nil
	})
	if err == nil {
		reg.info("rename ordered", slog.String("agent_id", id), slog.String("name", name), slog.String("by", league.Origin(by)))
	}
	return err
}

// Merge makes two third-party agents one before the start. The kept agent moves to the endpoint of the other one if it
// does not answer at its own.
func (reg *Registrar) Merge(ctx context.Context, keptID, goneID, by string) error {
	var old league.Registered
	var lost bool
	reg.cfg.League.Read(func(s *league.State) {
		if a, err := agentCalled(s, keptID); err == nil {
			old, lost = a.Registered, a.LostPlace()
		}
	})
	answers := false
	if old.ID != "" && !lost {
		_, answers = reg.cfg.Agents.Answers(ctx, old)
	}
	var kept league.Agent
	err := reg.cfg.League.Do(ctx, func(s *league.State) ([]league.Event, error) {
		a, err := agentCalled(s, keptID)
		if err != nil {
			return nil, err
		}
		gone, err := agentCalled(s, goneID)
		switch {
		case err != nil:
			return nil, err
		case s.Completed():
			return nil, league.ErrOver()
		case a.Endpoint != old.Endpoint:
			return nil, protocol.Errorf(protocol.Internal, "%s has moved since; try again", a.ID).Pass()
		}
		if err := s.CheckMerge(a, gone); err != nil {
			return nil, err
		}
		kept, goneID = *a, gone.ID
		return league.Merge(a, gone, answers, league.Origin(by)), nil
	})
	if err != nil {
		return err
	}
	reg.info("merge ordered", slog.String("kept", kept.ID), slog.String("gone", goneID),
		slog.Bool("kept_answers", answers), slog.String("by", league.Origin(by)))
	reg.cfg.Agents.LookAgain(kept.ID)
	return nil
}

// agentCalled returns the agent with that id or name, or an error.
func agentCalled(s *league.State, word string) (*league.Agent, error) {
	if a := s.Agents[s.Called(word)]; a != nil {
		return a, nil
	}
	return nil, protocol.Errorf(protocol.PlayerNotRegistered, "no agent %q has registered", league.Clip(word)).
		With("agent_id", league.Clip(word))
}

// renameRate is the maximum number of names per second that clients of one address may change by registering again.
const renameRate = 5

// mayRename reports whether the rate limit of the address allows a ruling, which may change the name of an agent.
func (reg *Registrar) mayRename(d league.Ruling, addr string) bool {
	return !d.Renames || addr == "" || reg.renames.Allow(addr)
}

// renamedTooOften returns the error for a registration above that rate limit.
func (reg *Registrar) renamedTooOften(addr string) error {
	reg.cfg.Auth.Suspect("registrations from one address rename too many agents", addr)
	return rpc.TooMany("names that agents at " + addr + " register under")
}
