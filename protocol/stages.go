package protocol

import (
	"slices"
	"time"
)

// A Stage is a question sent to the players of a match at once: each waited until the other had answered, or had been
// given up.
type Stage struct {
	Number int
	Asked  Type
	Tries  []Try // of each player its own in their order

	First, Last string        // the player that was done first, and the one that it waited for; "": only one was asked
	Waited      time.Duration // how long
}

// Stages groups the tries of a match by stage.
func (r *MatchRecord) Stages() (out []Stage) {
	for tries := r.Tries; len(tries) > 0; {
		n := slices.IndexFunc(tries, func(t Try) bool { return t.Stage != tries[0].Stage })
		if n < 0 {
			n = len(tries)
		}
		s := Stage{Number: tries[0].Stage, Asked: tries[0].Asked, Tries: tries[:n:n]}
		s.compare(r.PlayerAID, r.PlayerBID)
		out, tries = append(out, s), tries[n:]
	}
	return out
}

// Of lists the tries of one player.
func (s Stage) Of(player string) (out []Try) {
	for _, t := range s.Tries {
		if t.PlayerID == player {
			out = append(out, t)
		}
	}
	return out
}

// compare finds out which of both players was done first.
func (s *Stage) compare(a, b string) {
	ofA, ofB := s.Of(a), s.Of(b)
	if a == b || len(ofA) == 0 || len(ofB) == 0 {
		return
	}
	endA, endB := ofA[len(ofA)-1].End(), ofB[len(ofB)-1].End()
	s.First, s.Last, s.Waited = a, b, endB.Sub(endA)
	if endB.Before(endA) {
		s.First, s.Last, s.Waited = b, a, endA.Sub(endB)
	}
}

// Sent returns the time of the question. An unreadable time is the zero time.
func (t Try) Sent() time.Time {
	at, _ := time.Parse(time.RFC3339, t.SentAt)
	return at
}

// Agent returns the player's own time.
func (t Try) Agent() time.Duration { return millis(t.AgentMS) }

// Overhead returns the referee's own delay.
func (t Try) Overhead() time.Duration { return millis(t.OverheadMS) }

// End returns the end of the try.
func (t Try) End() time.Time { return t.Sent().Add(millis(t.AgentMS + t.OverheadMS)) }

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
