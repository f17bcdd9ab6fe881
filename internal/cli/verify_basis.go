package cli

import (
	"cmp"
	"fmt"
	"strings"

	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/verify"
)

// printBasis prints the proof status of the results.
func printBasis(a *app, v *verify.Result) {
	b := v.Results
	for _, line := range []struct {
		n            int
		thing, words string
	}{
		{b.Proven, "result", "proven: both players signed their moves."},
		{b.Judged, "result", "judged by the organiser's referees, because a player does not sign or nobody played."},
		{b.Unproven, "result", "unproven, resting only on the report of a guest referee: " + strings.Join(v.Doubtful, ", ") + "."},
		{b.Disputed, "result", "disputed: " + strings.Join(stories(v), "; ") + "."},
		{b.Hosted, "result", "hosted: a player runs in the manager's process, and the organiser has its key."},
		{v.Witnesses, "witness", "saw the same as the log."},
		{v.LastWords, "player", "signed the end of the log."},
	} {
		if line.n > 0 {
			fmt.Fprintln(a.out, term.Plain(amount(line.n, line.thing, line.words)))
		}
	}
	if v.Head != "" {
		fmt.Fprintf(a.out, "Seal %s, head %s.\n", noted(v.Seal), noted(v.Head))
	} else if v.Seal != "" {
		fmt.Fprintf(a.out, "Seal %s.\n", noted(v.Seal))
	}
}

// stories lists the objections to each disputed result.
func stories(v *verify.Result) (out []string) {
	for _, id := range v.Disputed {
		for _, c := range v.Against(id) {
			out = append(out, against(id, c))
		}
	}
	return out
}

// against is an objection to a result.
func against(match string, c league.Contested) string {
	return fmt.Sprintf("%s (%s says: %s)", match, term.Brief(c.By), term.Brief(cmp.Or(c.Detail, strings.ToLower(c.What))))
}

// doubts lists the unproven parts, with advice.
func doubts(v *verify.Result) string {
	b := v.Results
	var parts []string
	if b.Unproven > 0 {
		parts = append(parts, fmt.Sprintf("%s unproven", amount(b.Unproven, "result", map[bool]string{true: "is", false: "are"}[b.Unproven == 1])))
	}
	if b.Disputed > 0 {
		parts = append(parts, fmt.Sprintf("%s disputed", amount(b.Disputed, "result", map[bool]string{true: "is", false: "are"}[b.Disputed == 1])))
	}
	text := strings.Join(parts, " and ")
	if v.Revealed {
		return text + "; the league is over, so you decide whether they count"
	}
	first := append(append([]string{}, v.Disputed...), v.Doubtful...)[0]
	return fmt.Sprintf("%s; ask the players, and have such a match played again while the league runs: `league annul %s`", text, first)
}
