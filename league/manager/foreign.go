package manager

import (
	"context"
	"encoding/json"
	"time"

	"agentleague/dialect/notation"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// The node detects the dialects of third-party agents. The functions below log learned dialects, and ensure that a
// third-party referee is never asked twice to play one attempt at a match.

// firstOrder reports whether an attempt may be ordered from its third-party referee, which is allowed once: such a
// referee plays the match again for a repeated order. It logs the order durably first, so that neither a restart nor a
// timeout repeats it. A match without an answer to its order is reassigned when it is overdue. An attempt that the
// referee fetches is logged separately, so that the referee can fetch it even after it has refused the order.
func (d *dispatcher) firstOrder(ctx context.Context, a league.MatchAssigned) (first bool, err error) {
	how := "order "
	if d.fetchesMatches(a.Referee) || d.tasks.order(a).refused {
		how = "fetch "
	}
	err = d.Do(ctx, func(s *league.State) ([]league.Event, error) {
		put := league.Announced{What: how + a.Key(), Round: s.Matches[a.Match].Round}
		if first = !s.Announced[put]; !first {
			return nil, nil
		}
		return []league.Event{put}, nil
	})
	return first && err == nil, err
}

// assignedMatches answers a referee that fetches its matches. The returned matches count as accepted, so no orders for
// them are sent.
func (d *dispatcher) assignedMatches(
	ctx context.Context, from rpc.From, msg protocol.Message,
) (protocol.Message, error) {
	role, id, err := d.auth.question(from, msg)
	if err != nil {
		return nil, err
	}
	if role != protocol.RoleReferee {
		return nil, protocol.Errorf(protocol.RefereeNotRegistered, "matches are assigned to referees, not to %s",
			msg.Head().Sender)
	}
	out := &protocol.Assignments{
		Envelope: protocol.Envelope{MessageType: protocol.TypeAssignments, LeagueID: d.opts.LeagueID},
		Matches:  []json.RawMessage{},
	}
	err = d.Do(ctx, func(s *league.State) ([]league.Event, error) {
		return league.LearnedOf(s, map[string]string{id: notation.WithPolling(s.Agents[id].Dialect)}), nil
	})
	if err != nil {
		return nil, err
	}
	for _, a := range d.orderedOf(id) {
		start, ok := d.startMatch(a)
		if !ok {
			continue
		}
		if first, err := d.firstOrder(ctx, a); err != nil || !first {
			continue
		}
		start.Protocol, start.Sender, start.Timestamp, start.AuthToken = protocol.Version, d.Node.Sender(),
			protocol.Stamp(time.Now()), d.calls.tokenFor(id, &start.Envelope)
		wide, err := rpc.Wide(start)
		if err != nil {
			return nil, err
		}
		out.Matches = append(out.Matches, wide)
		d.tasks.setAccepted(a, true)
	}
	d.kick()
	return out, nil
}

// orderedOf lists the attempts that were ordered from the referee id, which has not accepted them yet.
func (d *dispatcher) orderedOf(id string) (out []league.MatchAssigned) {
	var open []league.MatchAssigned
	d.Read(func(s *league.State) {
		for _, match := range s.Open() {
			if a := match.Attempt(); a.Referee == id {
				open = append(open, a)
			}
		}
	})
	for _, a := range open {
		if o := d.tasks.order(a); o.ordered && !o.accepted {
			out = append(out, a)
		}
	}
	return out
}
