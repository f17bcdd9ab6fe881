package league

import (
	"fmt"
	"strings"
)

// WaitsFor returns a sentence with the referee that blocks a running league and the remedy, or "". obstacle returns the
// reason for which the referee of an attempt has sent no result, as text that continues a sentence after the referee's
// name, or "" if a result may still come.
func WaitsFor(s *State, obstacle func(MatchAssigned) string) string {
	if !s.Started() || s.Completed() || s.Paused {
		return ""
	}
	var held []string // matches that wait for the same reason as the first
	why, help := "", ""
	for _, m := range s.Open() {
		a := m.Attempt()
		reason, advice := waitsWhy(s.Agents[a.Referee], obstacle(a))
		if reason != "" && (why == "" || why == reason) {
			why, help = reason, advice
			held = append(held, m.ID)
		}
	}
	if len(held) == 0 {
		return ""
	}
	if more := len(held) - 3; more > 0 {
		held = append(held[:3], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("waiting for %s from %s; %s", strings.Join(held, ", "), why, help)
}

// waitsWhy returns the reason for which a referee does not report a match, and the remedy for the organizer; both are
// "" if a report may still come.
func waitsWhy(ref *Agent, obstacle string) (why, help string) {
	switch {
	case ref == nil:
		return "", ""
	case obstacle != "":
		return ref.Label() + ": " + obstacle,
			"start another referee with `league referee`, then put this one out with `league withdraw " + ref.ID + "`"
	case !ref.Live():
		return ref.Label() + ", which does not answer",
			"start it again, or another referee with `league referee`"
	}
	return "", ""
}
