package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"agentleague/protocol"
)

// status tells how the league stands. Who is in it, and where, is told to the
// admin alone.
func (a *app) status(ctx context.Context) error {
	var data struct {
		Status protocol.LeagueStatus `json:"status"`
	}
	r, err := a.ask(ctx, protocol.QueryStatus, &data)
	if err != nil {
		return err
	}
	var who struct {
		Agents []protocol.AgentInfo `json:"agents"`
	}
	if a.adminToken("") != "" {
		if _, err := a.ask(ctx, protocol.QueryPlayerDirectory, &who); err != nil {
			return err
		}
	}
	if a.json {
		return a.print(statusObject(r.LeagueID, data.Status, who.Agents))
	}
	a.printStatus(r.LeagueID, data.Status, who.Agents)
	return nil
}

// stateWord is the league's state, where a pause has a word of its own.
func stateWord(s protocol.LeagueStatus) string {
	if s.Paused && s.State != protocol.LeagueIsCompleted {
		return "PAUSED"
	}
	return s.State
}

func statusObject(id string, s protocol.LeagueStatus, agents []protocol.AgentInfo) map[string]any {
	players, referees := []map[string]any{}, []map[string]any{}
	for _, a := range agents {
		row := map[string]any{"display_name": a.DisplayName, "endpoint": a.Endpoint, "state": a.State, "dialect": a.Dialect}
		row[string(a.Role)+"_id"] = a.ID
		if a.Timing.Tries > 0 {
			row["tries"], row["agent_ms"], row["overhead_ms"] = a.Timing.Tries, each(a.Timing.AgentUS, a), each(a.Timing.OverheadUS, a)
		}
		if a.Role == protocol.RolePlayer {
			players = append(players, row)
		} else {
			referees = append(referees, row)
		}
	}
	out := map[string]any{
		"league_id": id, "state": stateWord(s), "round": s.CurrentRound, "rounds": s.TotalRounds,
		"matches_recorded": s.MatchesCompleted, "matches": s.TotalMatches, "players": players, "referees": referees,
	}
	if s.PauseReason != "" {
		out["reason"] = s.PauseReason
	}
	return out
}

func (a *app) printStatus(id string, s protocol.LeagueStatus, agents []protocol.AgentInfo) {
	fmt.Fprintf(a.out, "%s: %s, round %d of %d, %d of %d matches recorded\n", brief(id), brief(stateWord(s)), s.CurrentRound, s.TotalRounds, s.MatchesCompleted, s.TotalMatches)
	if s.PauseReason != "" {
		fmt.Fprintf(a.out, "It is paused: %s.\n", plain(s.PauseReason))
	}
	if s.Missing != "" {
		fmt.Fprintf(a.out, "It cannot start yet: %s.\n", plain(s.Missing))
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, agent := range agents {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", brief(agent.ID), brief(agent.DisplayName), brief(agent.State), brief(protocol.DialectName(agent.Dialect)), plain(agent.Endpoint), pace(agent), plain(agent.Why))
	}
	_ = w.Flush()
}

// pace tells how long a player takes to answer, and by how much a referee
// itself delays the players that it asks: the one is never held against the other.
func pace(a protocol.AgentInfo) string {
	switch {
	case a.Timing.Tries == 0:
		return ""
	case a.Role == protocol.RoleReferee:
		return fmt.Sprintf("own delay %.1f ms", each(a.Timing.OverheadUS, a))
	}
	return fmt.Sprintf("answers in %.1f ms", each(a.Timing.AgentUS, a))
}

// each is the mean over all tries, in milliseconds.
func each(us int, a protocol.AgentInfo) float64 { return float64(us/a.Timing.Tries) / 1000 }
