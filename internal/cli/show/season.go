package show

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"agentleague/backup"
	"agentleague/client"
	"agentleague/host"
	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/league/seasons"
	"agentleague/protocol"
)

// Cancelled stands where a champion would.
const Cancelled = "The league was cancelled: there is no champion."

// results describes the matches of a round in a line.
func results(matches []league.MatchView, name func(id string) string) string {
	out := make([]string, len(matches))
	for i, m := range matches {
		loser := m.A
		if m.Winner == m.A {
			loser = m.B
		}
		switch {
		case m.Winner != "" && m.Status == protocol.TechnicalLoss:
			out[i] = fmt.Sprintf("%s beat %s by forfeit", name(m.Winner), name(loser))
		case m.Winner != "":
			out[i] = fmt.Sprintf("%s beat %s", name(m.Winner), name(loser))
		case m.Status == protocol.Draw:
			out[i] = fmt.Sprintf("%s drew with %s", name(m.A), name(m.B))
		default:
			out[i] = fmt.Sprintf("%s and %s: %s", name(m.A), name(m.B), strings.ToLower(m.Status))
		}
		if word := doubt(m.Proof); word != "" {
			out[i] += " (" + word + ")"
		}
	}
	if len(out) > 6 {
		return fmt.Sprintf("%s … and %d more", strings.Join(out[:6], ", "), len(out)-6)
	}
	return strings.Join(out, ", ")
}

// Champions names the winner of a league, or all players that share the first place.
func Champions(table []protocol.Standing, shared term.Ranks) string {
	first := table[0]
	var names []string
	for _, row := range table {
		if row.PlayerID == first.PlayerID || shared[first.PlayerID] != "" && shared[row.PlayerID] == shared[first.PlayerID] {
			names = append(names, fmt.Sprintf("%s (%s)", term.Brief(row.DisplayName), row.PlayerID))
		}
	}
	if len(names) == 1 {
		return fmt.Sprintf("Champion: %s with %d points", names[0], first.Points)
	}
	last := len(names) - 1
	return fmt.Sprintf("Champions: %s and %s, with %d points each", strings.Join(names[:last], ", "), names[last], first.Points)
}

// Seasons prints the winner of each season, and the table of all of them.
func Seasons(w io.Writer, s seasons.Series) {
	fmt.Fprintf(w, "%s: %d of %s played\n", term.Brief(s.LeagueID), s.Played(), term.Count(s.Wanted, "season"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, one := range s.Seasons {
		fmt.Fprintf(t, "season %d\t%s\t%s\n", one.Number, term.Brief(one.LeagueID), wonBy(one))
	}
	_ = t.Flush()
	if len(s.Totals) == 0 {
		return
	}
	fmt.Fprintln(w)
	fmt.Fprintln(t, "RANK\tNAME\tSEASONS\tTITLES\tPLAYED\tWON\tDRAWN\tLOST\tPOINTS")
	for _, r := range s.Totals {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", r.Place, term.Brief(r.DisplayName), r.Seasons, r.Championships, r.Played,
			r.Wins, r.Draws, r.Losses, r.Points)
	}
	_ = t.Flush()
}

// seasonWords describe the state of an unfinished season.
var seasonWords = map[string]string{
	protocol.WaitingForRegistrations: "waiting for players", protocol.CreatingSchedule: "starting",
	protocol.RunningLeague: "being played",
}

// wonBy describes the winner of a season, or its state.
func wonBy(s seasons.Season) string {
	if !s.Over() {
		return seasonWords[s.State]
	}
	names := make([]string, len(s.Champions))
	for i, name := range s.Champions {
		names[i] = term.Brief(name)
	}
	if len(names) == 0 {
		return "over"
	}
	last := len(names) - 1
	return "won by " + strings.TrimPrefix(strings.Join(names[:last], ", ")+" and "+names[last], " and ")
}

// Rounds prints the pairings, their results, and the proof status of each.
func Rounds(out io.Writer, rounds []protocol.ScheduledRound) {
	for _, round := range rounds {
		fmt.Fprintf(out, "Round %d\n", round.RoundID)
		for _, m := range round.Matches {
			line := fmt.Sprintf("  %-8s %s - %s  %s  %s", term.Brief(m.MatchID), term.Brief(m.PlayerAID),
				term.Brief(m.PlayerBID), ending(m), term.Brief(m.Proof))
			if m.Hosted {
				line += ", " + league.HostedLabel
			}
			fmt.Fprintln(out, strings.TrimRight(line, " "))
		}
	}
}

// ending describes the result of a match, or that it is open.
func ending(m protocol.ScheduledMatch) string {
	winner := ""
	if m.Winner != nil {
		winner = term.Brief(*m.Winner)
	}
	switch {
	case m.Status == protocol.TechnicalLoss && winner == "":
		return "both forfeited"
	case m.Status == protocol.TechnicalLoss && m.PlayerAID == winner:
		return winner + " wins, " + term.Brief(m.PlayerBID) + " forfeited"
	case m.Status == protocol.TechnicalLoss:
		return winner + " wins, " + term.Brief(m.PlayerAID) + " forfeited"
	case winner != "":
		return winner + " wins"
	}
	return term.Brief(strings.ToLower(m.Status))
}

// Ratings prints a game's agents with 95 % intervals; two with overlapping intervals may be equally strong.
func Ratings(w io.Writer, game seasons.GameCareers) {
	fmt.Fprintf(w, "%s: %s\n", term.Brief(game.GameType), term.Count(game.Leagues, "league"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RANK\tNAME\tRATING\t95 % INTERVAL\tLEAGUES\tMATCHES")
	for _, p := range game.Players {
		fmt.Fprintf(t, "%d\t%s\t%d\t%d to %d\t%d\t%d\n", p.Rank, term.Brief(p.DisplayName), p.Rating, p.Low, p.High, p.Leagues,
			p.Matches)
	}
	_ = t.Flush()
}

// Leagues prints one line for each league.
func Leagues(out io.Writer, all []client.Listed) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "League\tState\tGame\tPlayers\tRound\tMatches")
	for _, l := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d of %d\t%d of %d\n", term.Brief(l.ID),
			strings.ToLower(strings.ReplaceAll(term.Plain(l.State), "_", " ")), term.Plain(l.Game), l.Players, l.Round, l.Rounds,
			l.Recorded, l.Matches)
	}
	return t.Flush()
}

// SavedLeague describes the progress of a league in a backup.
func SavedLeague(l backup.League) string {
	return fmt.Sprintf("%s: %s, round %d, %s; %s of the log, the last %.16s", l.ID, stateWords(l.State), l.Round,
		term.Count(l.Results, "result"), term.Count(l.Entries, "line"), l.Head)
}

// Over reports whether a league had ended when its backup was made.
func Over(l backup.League) bool { return seasonWords[l.State] == "" }

// stateWords describe the state of a league.
func stateWords(state string) string { return cmp.Or(seasonWords[state], "over") }

// Strategies explains the built-in strategies: name, behaviour and games.
func Strategies(out io.Writer) {
	fmt.Fprint(out, "Built-in strategies, for --strategy, --bots, --fallback and `league play`:\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	for _, m := range host.Minds() {
		about := m.About
		if len(m.Games) > 0 {
			about += " (plays " + strings.Join(m.Games, ", ") + ")"
		}
		fmt.Fprintf(w, "  %s\t%s\n", m.Spec(), about)
	}
	_ = w.Flush() // as for all help, write errors are ignored
	fmt.Fprint(out, "\nA list has commas between them, and quotes around what has commas or spaces in it.\n"+
		"A strategy that cannot play the league's game is refused before anything starts.\n\nExamples:\n"+
		"  league run --game connect_four --strategy minimax:4,random --players 6\n"+
		"  league play pattern cycle --game rock_paper_scissors\n"+
		"  league player --port 0 --strategy \"exec:python3 player.py\"\n")
}
