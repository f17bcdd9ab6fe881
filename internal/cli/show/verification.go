package show

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"agentleague/client"
	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/league/answers"
	"agentleague/verify"
)

// Verification prints the findings, in sentences.
func Verification(out io.Writer, v *verify.Result) {
	for _, d := range v.Differences {
		fmt.Fprintln(out, term.Plain(d.String()))
	}
	// The table is shown only if it follows from the results.
	if v.OK {
		term.PrintTable(out, v.Standings, client.Table{TableAnswer: answers.TableAnswer{Standings: v.Standings, Ranks: v.Ranks}}.Shared())
	}
	fmt.Fprintf(out, "%s: %d journal lines, %s; %s.\n", v.LeagueID, v.Lines, Amount(v.Matches, "result", "each recorded once"), Amount(v.Records, "record", "with the SHA-256 of the journal"))
	fmt.Fprintf(out, "%s: the result follows from the moves and the draw.\n", Amount(v.Verified, "match", "verified"))
	if v.Revealed || v.Promised == 0 {
		fmt.Fprintf(out, "%s: the key follows from the revealed secret, which was committed to before anyone registered.\n", Amount(v.Proven, "draw", "proven"))
	} else {
		fmt.Fprintf(out, "%s: the key was committed to before anyone chose; its secret is revealed when the league "+
			"is over.\n", Amount(v.Promised, "draw", "promised"))
	}
	if len(v.Unproven) > 0 {
		fmt.Fprintf(out, "%s, by referees that do not commit to their draws: %s.\n", Amount(len(v.Unproven), "draw", "unproven"), strings.Join(v.Unproven, ", "))
	}
	if len(v.Unplayed) > 0 {
		fmt.Fprintf(out, "%s: %s.\n", Amount(len(v.Unplayed), "match", "never played because a player had left"), strings.Join(v.Unplayed, ", "))
	}
	basis(out, v)
	for _, note := range v.Notes {
		fmt.Fprintf(out, "Note: %s.\n", note)
	}
	switch {
	case v.OK && v.InDoubt():
		fmt.Fprintf(out, "The table follows from the results. Nothing differs, but %s.\n", doubts(v))
		return
	case v.OK:
		fmt.Fprintln(out, "The table follows from the results. Nothing differs.")
		return
	}
	fmt.Fprintf(out, "%s%s.\n", Amount(len(v.Differences), "difference", "found"), kindWords(v))
}

// kindWords counts the differences by kind, unless all are other content.
func kindWords(v *verify.Result) string {
	kinds, words := v.Kinds(), []string{}
	for _, k := range []struct{ kind, words string }{
		{verify.Missing, "missing"}, {verify.Different, "different"}, {verify.Version, "written by another version"},
	} {
		if n := kinds[k.kind]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, k.words))
		}
	}
	if kinds[verify.Different] == len(v.Differences) {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}

// Amount formats a count, its noun in singular or plural, and what was done:
// Amount(6, "match", "verified") returns "6 matches verified".
func Amount(n int, noun, what string) string {
	// The nouns that are counted here need no other plural.
	if n != 1 {
		noun += map[bool]string{true: "es", false: "s"}[strings.HasSuffix(noun, "ch") || strings.HasSuffix(noun, "ss")]
	}
	return fmt.Sprintf("%d %s %s", n, noun, what)
}

// basis prints the proof status of the results.
func basis(out io.Writer, v *verify.Result) {
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
		{v.FinalSignatures, "player", "signed the end of the log."},
	} {
		if line.n > 0 {
			fmt.Fprintln(out, term.Plain(Amount(line.n, line.thing, line.words)))
		}
	}
	if v.Head != "" {
		fmt.Fprintf(out, "Seal %s, head %s.\n", noted(v.Seal), noted(v.Head))
	} else if v.Seal != "" {
		fmt.Fprintf(out, "Seal %s.\n", noted(v.Seal))
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
		parts = append(parts, fmt.Sprintf("%s unproven", Amount(b.Unproven, "result", map[bool]string{true: "is", false: "are"}[b.Unproven == 1])))
	}
	if b.Disputed > 0 {
		parts = append(parts, fmt.Sprintf("%s disputed", Amount(b.Disputed, "result", map[bool]string{true: "is", false: "are"}[b.Disputed == 1])))
	}
	text := strings.Join(parts, " and ")
	if v.Revealed {
		return text + "; the league is over, so you decide whether they count"
	}
	first := append(append([]string{}, v.Disputed...), v.Doubtful...)[0]
	return fmt.Sprintf("%s; ask the players, and have such a match played again while the league runs: `league annul %s`", text, first)
}
