package manager

import (
	"context"
	"fmt"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// refuse warns of a report that is not recorded, and remembers it while its match is open. Another referee has the
// match at once if the report cannot be true, and else if no other report comes in time.
func (rs *results) refuse(ctx context.Context, referee, match, why string, from rpc.From, untrue bool) {
	var held bool
	_ = rs.do(ctx, func(s *league.State) ([]league.Event, error) {
		m := s.Matches[match]
		if m == nil || m.Outcome != nil || m.Attempt().Referee != referee {
			return nil, nil
		}
		held = true
		rs.obstacles.note(m.Attempt(), "its last report was refused: "+why)
		if untrue {
			return league.Reassign(s, m.Attempt()), nil
		}
		return nil, nil
	})
	text := "a report of " + referee + " was refused: " + why
	if held {
		text = match + ": " + text
	}
	rs.gate.suspect("report of "+referee+" "+match, text, from.Addr)
}

// unreadable handles a message that could not be decoded. A report of a foreign referee may have an unsupported form.
func (rs *results) unreadable(ctx context.Context, from rpc.From, t protocol.Type, body []byte, err error) {
	if t == protocol.TypeMatchResultReport {
		rs.refuseUnknown(ctx, from, fmt.Sprintf("%s: %s", protocol.AsError(err).Sentence(),
			protocol.Clip(protocol.RedactIn(protocol.Plain(string(body))), 200)))
	}
}

// refuseUnknown warns of a report without an identifiable match. It may concern any match that a foreign referee at
// that address plays.
func (rs *results) refuseUnknown(ctx context.Context, from rpc.From, why string) {
	var held []league.MatchAssigned
	var endpoints []string
	rs.Read(func(s *league.State) {
		for _, m := range s.Open() {
			if ref := s.Agents[m.Attempt().Referee]; ref != nil && !ref.Native() {
				held, endpoints = append(held, m.Attempt()), append(endpoints, ref.Endpoint)
			}
		}
	})
	for i, a := range held {
		if rs.Node.ComesFrom(ctx, from, endpoints[i]) {
			rs.obstacles.note(a, "its last report was refused: "+why)
		}
	}
	rs.gate.suspect("unknown report", "a report was refused: "+why, from.Addr)
}
