package manager

import (
	"context"
	"log/slog"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
)

// goesOn returns the next league to a native agent that registers after the end, or reports that there is none.
func (reg *registrar) goesOn(ctx context.Context, a *league.Agent) (next string, over bool) {
	reg.Read(func(s *league.State) { over = s.Completed() && a.Native() })
	if !over || reg.opts.Next == nil {
		return "", over
	}
	next, err := reg.opts.Next(ctx)
	if err != nil {
		reg.warn("the next season cannot be created: "+err.Error(), slog.String("league_id", reg.opts.LeagueID))
	}
	return next, next == "" && err == nil
}

// directs adds the open leagues to the rejection of a late applicant.
func (reg *registrar) directs(no *league.Rejection) *league.Rejection {
	late := false
	reg.Read(func(s *league.State) { late = s.Started() })
	if !late || no.Of != "" || no.Kind != protocol.RegistrationClosed || reg.opts.Vacant == nil {
		return no
	}
	open := reg.opts.Vacant()
	if len(open) == 0 {
		return no
	}
	out := *no
	out.Reason += "; open for registration here: " + strings.Join(open, ", ")
	out.Advice = "Register with league_id " + open[0]
	return &out
}
