package show

import (
	"fmt"
	"io"

	"agentleague/internal/term"
	"agentleague/protocol"
)

// Pairings prints a round with the reason of each pairing, and the players without a match.
func Pairings(out io.Writer, r protocol.ScheduledRound) {
	head := fmt.Sprintf("Round %d", r.RoundID)
	if r.OfLegs > 1 {
		head += fmt.Sprintf(", leg %d of %d", r.Leg, r.OfLegs)
	}
	if r.Preview {
		head += ", as it would be paired now"
	}
	fmt.Fprintln(out, head)
	for _, m := range r.Matches {
		line := fmt.Sprintf("  %-8s %s - %s", term.Brief(m.MatchID), term.Brief(m.PlayerAID), term.Brief(m.PlayerBID))
		if m.Why != "" {
			line += "  " + term.Brief(m.Why)
		}
		fmt.Fprintln(out, line)
	}
	for _, id := range r.Byes {
		fmt.Fprintf(out, "  %s has a bye\n", term.Brief(id))
	}
	for _, id := range r.Resting {
		fmt.Fprintf(out, "  %s rests\n", term.Brief(id))
	}
}
