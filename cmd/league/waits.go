package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"agentleague/protocol"
)

// waits tells of each stage of a match what its players' tries came to, and who waited for whom.
func waits(rec protocol.MatchRecord) (lines []string) {
	for tries := rec.Tries; len(tries) > 0; {
		n := slices.IndexFunc(tries, func(t protocol.Try) bool { return t.Stage != tries[0].Stage })
		if n < 0 {
			n = len(tries)
		}
		lines = append(lines, fmt.Sprintf("%s: %s", tries[0].Asked, strings.Join(stageOf(rec, tries[:n]), "; ")))
		tries = tries[n:]
	}
	return lines
}

// stageOf tells of the players of one stage, and which of them was first.
func stageOf(rec protocol.MatchRecord, tries []protocol.Try) (out []string) {
	ends, told := map[string]time.Time{}, map[string][]string{}
	for _, t := range tries {
		sent, _ := time.Parse(time.RFC3339, t.SentAt) // one that cannot be read is long ago
		ends[t.PlayerID] = sent.Add(millis(t.AgentMS + t.OverheadMS))
		told[t.PlayerID] = append(told[t.PlayerID], outcomeOf(t))
	}
	a, b := rec.PlayerAID, rec.PlayerBID
	for _, id := range []string{a, b} {
		if len(told[id]) > 0 {
			out = append(out, id+" "+strings.Join(told[id], ", then "))
		}
	}
	if len(ends) < 2 {
		return out
	}
	first, last := a, b
	if ends[b].Before(ends[a]) {
		first, last = b, a
	}
	return append(out, fmt.Sprintf("%s waited %v for %s", first, ends[last].Sub(ends[first]).Round(100*time.Microsecond), last))
}

// outcomeOf tells how one try ended, and whose time that took.
func outcomeOf(t protocol.Try) string {
	what := t.Outcome
	switch t.Outcome {
	case protocol.Answered:
		what = "answered"
	case protocol.CutShort:
		what = "was not waited for any longer"
	}
	what += fmt.Sprintf(" after %v", millis(t.AgentMS).Round(100*time.Microsecond))
	if own := millis(t.OverheadMS).Round(100 * time.Microsecond); own > 0 {
		what += fmt.Sprintf(" and %v of its referee's own delay", own)
	}
	if t.Void {
		what += ", which did not count"
	}
	return what
}

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
