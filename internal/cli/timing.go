package cli

import (
	"fmt"
	"strings"
	"time"

	"agentleague/protocol"
)

// timing describes the players' tries in each stage of a match, and which player waited for the other.
func timing(rec protocol.MatchRecord) (lines []string) {
	for _, s := range rec.Stages() {
		lines = append(lines, fmt.Sprintf("%s: %s", s.Asked, strings.Join(stageInWords(rec, s), "; ")))
	}
	return lines
}

// stageInWords describes the players of one stage, and which of them was first.
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
	return append(out, fmt.Sprintf("%s waited %s for %s", s.First, span(s.Waited), s.Last))
}

// outcomeOf describes the end of one try, with the player's time and the referee's own.
func outcomeOf(t protocol.Try) string {
	what := "failed with " + t.Outcome + " after "
	switch t.Outcome {
	case protocol.Answered:
		what = "answered in "
	case protocol.CutShort:
		what = "had not answered when the referee stopped waiting after "
	}
	what += span(t.Agent())
	if own := t.Overhead(); own >= resolution/2 {
		what += fmt.Sprintf(" (plus %s referee delay)", span(own))
	}
	if t.Void {
		what += ", not counted"
	}
	return what
}

// resolution is how exactly times are shown.
const resolution = 100 * time.Microsecond

// span is a length of time as people read it: 300 µs, 1.5 ms, 30 s, 1m30s.
func span(d time.Duration) string {
	switch d = d.Round(resolution); {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%v ms", float64(d)/float64(time.Millisecond))
	case d < time.Minute:
		return fmt.Sprintf("%v s", float64(d)/float64(time.Second))
	}
	return d.String()
}
