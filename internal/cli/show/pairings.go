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

// PairingOf returns a round with the match of one player only.
func PairingOf(r protocol.ScheduledRound, player string) protocol.ScheduledRound {
	out := r
	out.Matches, out.Byes, out.Resting = nil, nil, nil
	for _, m := range r.Matches {
		if m.PlayerAID == player || m.PlayerBID == player {
			out.Matches = append(out.Matches, m)
		}
	}
	for _, list := range []struct{ from, to *[]string }{{&r.Byes, &out.Byes}, {&r.Resting, &out.Resting}} {
		for _, id := range *list.from {
			if id == player {
				*list.to = append(*list.to, id)
			}
		}
	}
	return out
}
