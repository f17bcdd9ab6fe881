package cli

import (
	"fmt"
	"strings"
	"time"

	"agentleague/protocol"
)

// timing tells of each stage of a match what its players' tries came to, and who waited for whom.
func timing(rec protocol.MatchRecord) (lines []string) {
	for _, s := range rec.Stages() {
		lines = append(lines, fmt.Sprintf("%s: %s", s.Asked, strings.Join(stageInWords(rec, s), "; ")))
	}
	return lines
}

// stageInWords tells of the players of one stage, and which of them was first.
func stageInWords(rec protocol.MatchRecord, s protocol.Stage) (out []string) {
	for _, id := range []string{rec.PlayerAID, rec.PlayerBID} {
		var told []string
		for _, t := range s.Of(id) {
			told = append(told, outcomeOf(t))
		}
		if len(told) > 0 {
			out = append(out, id+" "+strings.Join(told, ", then "))
		}
	}
	if s.First == "" {
		return out
	}
	return append(out, fmt.Sprintf("%s waited %v for %s", s.First, s.Waited.Round(100*time.Microsecond), s.Last))
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
	what += fmt.Sprintf(" after %v", t.Agent().Round(100*time.Microsecond))
	if own := t.Overhead().Round(100 * time.Microsecond); own > 0 {
		what += fmt.Sprintf(" and %v of its referee's own delay", own)
	}
	if t.Void {
		what += ", which did not count"
	}
	return what
}
