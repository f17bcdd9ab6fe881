package main

import (
	"agentleague/league"
	"agentleague/protocol"
)

// finished reports whether nothing is left to do for a league: it is over, everybody has been told, and its table and records
// are written. Of one that was killed at its very end only the log knows that it is over.
func (h *house) finished(s *league.State) bool {
	if !s.Completed() || !s.Announced[league.Announced{What: "league"}] {
		return false
	}
	shown, err := h.Standings(s.Created.LeagueID).Load()
	if err != nil || shown.RoundsCompleted != s.Schedule.Rounds() {
		return false
	}
	for _, m := range s.Matches {
		if !h.Matches(s.Created.LeagueID).Has(m.ID, m.Outcome.RecordSHA256) && h.canFetch(s.Created.LeagueID, m) {
			return false
		}
	}
	return true
}

// canFetch reports whether a referee on this root has the record of a match.
func (h *house) canFetch(leagueID string, m *league.Match) bool {
	if m.Outcome.RecordSHA256 == "" {
		return true // the manager writes it itself
	}
	kept, err := h.Records(m.Outcome.Referee)
	if err != nil {
		return false
	}
	doc, err := kept.Document(protocol.RecordRef{LeagueID: leagueID, MatchID: m.ID, Attempt: m.Outcome.Attempt})
	return err == nil && protocol.RecordHash(doc) == m.Outcome.RecordSHA256
}
