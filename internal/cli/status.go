package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/protocol"
)

// statusCommand is `league status`. With the admin token it also shows the addresses of agents.
func statusCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "status", Short: "Show how the league stands and who is in it", Example: "  league status\n  league status --json --manager http://localhost:8000/mcp",
		RunE: func(cmd *cobra.Command, _ []string) error { return showStatus(cmd.Context(), a) }}
	a.adminFlags(cmd)
	return a.withManager(cmd)
}

// showStatus prints the state of the league. Only the admin sees its agents and their addresses.
func showStatus(ctx context.Context, a *app) error {
	id, now, err := client.Status(ctx, a.source())
	if err != nil {
		return err
	}
	now.DisplayName = cmp.Or(now.DisplayName, a.title)
	var who client.Directory
	if a.adminToken() != "" {
		who, err = client.Who(ctx, a.source())
		if err != nil && (!errors.Is(err, client.ErrToken) || a.admin.given()) {
			return err // the root's own token may be that of another manager
		}
	}
	season, of := a.season(ctx, id)
	if a.json {
		out := statusObject(id, now, who)
		if of > 1 {
			out["season"], out["seasons"] = season, of
		}
		return a.print(out)
	}
	printStatus(a, id, now, who)
	if of > 1 {
		fmt.Fprintf(a.out, "This is season %d of %d; `league seasons` adds them up.\n", season, of)
	}
	return nil
}

// season returns the number of a league's season, and the number of seasons, if its manager answers: 1 of 1 is a
// single league.
func (a *app) season(ctx context.Context, id string) (number, of int) {
	all, err := a.client().Seasons(ctx)
	if err != nil {
		return 1, 1
	}
	return 1 + max(0, slices.IndexFunc(all.Seasons, func(s league.Season) bool { return s.LeagueID == id })), all.Wanted
}

// told describes an order: time, content and sender.
func told(o protocol.OrderInfo) string {
	what := map[string]string{
		"created": "created", "enlisted": term.Brief(o.AgentID) + " enlisted", "start": "start ordered", "pause": "paused", "resume": "resumed", "drain": "drained", "cancel": "cancelled",
		"withdraw": term.Brief(o.AgentID) + " withdrawn", "invite": term.Brief(o.AgentID) + " invited", "readmit": term.Brief(o.AgentID) + " readmitted",
		"rename": term.Brief(o.AgentID) + " renamed", "merge": "another agent merged into " + term.Brief(o.AgentID),
		"annul": "the result of " + term.Brief(o.AgentID) + " annulled",
	}[o.Order]
	return fmt.Sprintf("%s %s by %s", term.Brief(o.At), cmp.Or(what, term.Brief(o.Order)), cmp.Or(term.Plain(o.By), "someone whose name is not in the log"))
}

// ordersShown is how many orders are printed, the newest.
const ordersShown = 10

// stateWord is the league's state, with a separate word for a pause.
func stateWord(s protocol.LeagueStatus) string {
	if s.Paused && !protocol.IsOver(s.State) {
		return "PAUSED"
	}
	return s.State
}

// statusObject is the status for programs. Unknown values are left out, except for lists, which are empty.
func statusObject(id string, s protocol.LeagueStatus, who client.Directory) map[string]any {
	players, referees := []map[string]any{}, []map[string]any{}
	for _, a := range who.Agents {
		row := map[string]any{"display_name": a.DisplayName, "endpoint": a.Endpoint, "state": a.State, "dialect": a.Dialect}
		row[string(a.Role)+"_id"] = a.ID
		if a.Guest {
			row["guest"] = true
		}
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
	if s.DisplayName != "" {
		out["display_name"] = s.DisplayName
	}
	if s.PauseReason != "" {
		out["reason"] = s.PauseReason
	}
	if s.PlayersWanted > 0 {
		out["players_wanted"], out["referees_wanted"], out["starts_by_itself"] = s.PlayersWanted, s.RefereesWanted, s.StartsByItself
		out["starts"] = s.Starting(time.Now())
	}
	if s.StartsAt != "" {
		out["starts_at"] = s.StartsAt
	}
	if s.Missing != "" {
		out["missing"] = s.Missing
	}
	if s.WaitsFor != "" {
		out["waits_for"] = s.WaitsFor
	}
	if len(who.Orders) > 0 {
		out["orders"] = who.Orders
	}
	if len(who.Refused) > 0 {
		out["refused"] = who.Refused
	}
	if len(who.Warnings) > 0 {
		out["warnings"] = who.Warnings
	}
	if s.Seal != "" {
		out["seal"], out["head"], out["results"] = s.Seal, s.LogHead, s.Results
	}
	return out
}

// printStatus is the status for people: the state, the agents, and advice if it cannot continue.
func printStatus(a *app, id string, s protocol.LeagueStatus, who client.Directory) {
	name := term.Brief(id)
	if s.DisplayName != "" {
		name = fmt.Sprintf("%s (%s)", term.Brief(s.DisplayName), name)
	}
	fmt.Fprintf(a.out, "%s: %s, %s\n", name, term.Brief(stateWord(s)), term.Progress(s))
	switch {
	case s.PauseReason != "":
		fmt.Fprintf(a.out, "Paused: %s.\n", term.Plain(s.PauseReason))
	case stateWord(s) == "PAUSED":
		fmt.Fprintln(a.out, howToResume)
	}
	if s.WaitsFor != "" {
		fmt.Fprintf(a.out, "The league is %s.\n", term.Cut(s.WaitsFor, 700))
	}
	if names := missingNames(who); len(names) > 0 {
		fmt.Fprintf(a.out, "Invited, and not here (%d): %s\n", len(names), strings.Join(names, ", "))
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, agent := range who.Agents {
		id := term.Brief(agent.ID)
		if agent.Guest {
			id += " (guest)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", id, term.Brief(agent.DisplayName), term.Brief(agent.State), term.Brief(dialectName(agent.Dialect)), term.Plain(agent.Endpoint), pace(agent), term.Plain(agent.Why))
	}
	_ = w.Flush()
	if words := basisWords(s.Results); words != "" {
		fmt.Fprintln(a.out, words)
	}
	if s.Seal != "" {
		fmt.Fprintln(a.out, sealWords(s.Seal, s.LogHead, a.whichLeague(id)))
	}
	for _, r := range who.Refused {
		fmt.Fprintln(a.out, turnedAway(r))
	}
	for _, w := range who.Warnings[max(0, len(who.Warnings)-ordersShown):] {
		fmt.Fprintln(a.out, warningLine(w))
	}
	orders := slices.DeleteFunc(slices.Clone(who.Orders), func(o protocol.OrderInfo) bool { return o.Order == "invite" })
	for _, o := range orders[max(0, len(orders)-ordersShown):] {
		fmt.Fprintln(a.out, told(o))
	}
}

// missingNames are those of invited agents that have not come.
func missingNames(who client.Directory) (names []string) {
	for _, o := range who.Orders {
		here := func(a protocol.AgentInfo) bool { return a.DisplayName == o.AgentID }
		if name := term.Brief(o.AgentID); o.Order == "invite" && !slices.ContainsFunc(who.Agents, here) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// pace describes a player's answer times, and the delay caused by the referee itself, which never counts against the
// player.
func pace(a protocol.AgentInfo) string {
	switch {
	case a.Timing.Tries == 0:
		return ""
	case a.Role == protocol.RoleReferee:
		return fmt.Sprintf("referee delay %.1f ms", each(a.Timing.OverheadUS, a))
	}
	return fmt.Sprintf("answers in %.1f ms", each(a.Timing.AgentUS, a))
}

// each is the mean over all tries, in milliseconds.
func each(us int, a protocol.AgentInfo) float64 { return float64(us/a.Timing.Tries) / 1000 }
