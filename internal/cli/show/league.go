// Package show prints leagues, matches and checks for people, or as the objects of --json.
//
//	result of a verb ─▶ show ─▶ term ─▶ standard output
//
// It reads no files and asks no manager. Third-party text is sanitized by package term.
package show

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"agentleague/client"
	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/protocol"
)

// Order describes an order: time, content and sender.
func Order(o protocol.OrderInfo) string {
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

// StatusObject returns the status for programs. Unknown values are left out, except for lists, which are empty.
func StatusObject(id string, s protocol.LeagueStatus, who client.Directory) map[string]any {
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
	if s.OpenEnd {
		out["open_end"] = true
	}
	if s.NextRoundAt != "" {
		out["next_round_at"] = s.NextRoundAt
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

// Status prints the status for people: the state, the agents, and advice if it cannot continue. which is the flag that
// selects the league for its verification.
func Status(out io.Writer, id, which string, s protocol.LeagueStatus, who client.Directory) {
	name := term.Brief(id)
	if s.DisplayName != "" {
		name = fmt.Sprintf("%s (%s)", term.Brief(s.DisplayName), name)
	}
	fmt.Fprintf(out, "%s: %s, %s\n", name, term.Brief(stateWord(s)), term.Progress(s))
	switch {
	case s.PauseReason != "":
		fmt.Fprintf(out, "Paused: %s.\n", term.Plain(s.PauseReason))
	case stateWord(s) == "PAUSED":
		fmt.Fprintln(out, HowToResume)
	}
	if s.WaitsFor != "" {
		fmt.Fprintf(out, "The league is %s.\n", term.Cut(s.WaitsFor, 700))
	}
	if names := missingNames(who); len(names) > 0 {
		fmt.Fprintf(out, "Invited, and not here (%d): %s\n", len(names), strings.Join(names, ", "))
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, agent := range who.Agents {
		id := term.Brief(agent.ID)
		if agent.Guest {
			id += " (guest)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", id, term.Brief(agent.DisplayName), term.Brief(agent.State), term.Brief(dialectName(agent.Dialect)), term.Plain(strings.TrimSpace(agent.Endpoint+" "+agent.Way)), pace(agent), term.Plain(agent.Why))
	}
	_ = w.Flush()
	if words := BasisWords(s.Results); words != "" {
		fmt.Fprintln(out, words)
	}
	if s.Seal != "" {
		fmt.Fprintln(out, SealWords(s.Seal, s.LogHead, which))
	}
	for _, r := range who.Refused {
		fmt.Fprintln(out, turnedAway(r))
	}
	for _, w := range who.Warnings[max(0, len(who.Warnings)-ordersShown):] {
		fmt.Fprintln(out, warningLine(w))
	}
	orders := slices.DeleteFunc(slices.Clone(who.Orders), func(o protocol.OrderInfo) bool { return o.Order == "invite" })
	for _, o := range orders[max(0, len(orders)-ordersShown):] {
		fmt.Fprintln(out, Order(o))
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

// sealDigits is the length of a printed seal or head: enough that it is practically unique.
const sealDigits = 32

// noted is a hash in the form to write down.
func noted(hash string) string { return hash[:min(len(hash), sealDigits)] }

// SealWords explains the values of a league to write down, and their purpose. which is the flag that selects the league
// for the verification, "" for the data directory's own.
func SealWords(seal, head, which string) string {
	words := fmt.Sprintf("Note this down, to check the log later: league verify%s --seal %s", which, noted(seal))
	if head != "" {
		words += " --head " + noted(head)
	}
	return words
}

// BasisWords counts the results that rest on a guest's word or have a hosted player; "": there are none.
func BasisWords(b protocol.Basis) string {
	var parts []string
	if b.Unproven > 0 {
		parts = append(parts, fmt.Sprintf("%s only on the report of a guest referee (unproven)", rest(b.Unproven)))
	}
	if b.Disputed > 0 {
		parts = append(parts, fmt.Sprintf("%s disputed", is(b.Disputed)))
	}
	if b.Hosted > 0 {
		parts = append(parts, fmt.Sprintf("%s hosted: a player runs in the manager's process", is(b.Hosted)))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s proven, %d judged; %s.", resultsAre(b.Proven), b.Judged, strings.Join(parts, ", "))
}

// resultsAre counts results, with the verb.
func resultsAre(n int) string {
	if n == 1 {
		return "1 result is"
	}
	return fmt.Sprintf("%d results are", n)
}

// rest and is agree with their number.
func rest(n int) string {
	if n == 1 {
		return "1 rests"
	}
	return fmt.Sprintf("%d rest", n)
}

// is counts with the right verb.
func is(n int) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}

// doubt returns the mark of a result that rests on a guest referee's report; "" for any other result.
func doubt(proof string) string {
	if proof == league.Unproven || proof == league.Disputed {
		return proof
	}
	return ""
}

// warningLine formats a warning: time, text, address and count.
func warningLine(w protocol.Warning) string {
	return fmt.Sprintf("%s warning: %s (from %s, %d times)", term.Brief(w.At), term.Cut(w.Text, 500), term.Brief(w.Address), w.Count)
}

// turnedAway lists refused agents, with the command that readmits each.
func turnedAway(r protocol.RefusalInfo) string {
	old := "which no longer answers"
	if r.Alive {
		old = "which still answers at its address"
	}
	return fmt.Sprintf("%s refused: an agent at %s, called %q, registered from %s as %s, %s, and could not prove "+
		"that it is the same agent. If it is, run: league readmit %s %s",
		term.Brief(r.At), term.Brief(r.Endpoint), term.Brief(r.DisplayName), term.Brief(r.Address), term.Brief(r.AgentID), old, term.Brief(r.AgentID), term.Brief(r.Code))
}

// HowToResume is the hint for a league that was paused, maybe by another person and before a restart of the manager.
const HowToResume = "The league is paused: no further match starts. Resume it with `league resume`."
