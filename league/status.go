package league

import "agentleague/protocol"

// openEnd reports whether further rounds may follow in a number that is not known yet.
func openEnd(s *State) bool { return s.Started() && !s.Completed() && s.OpenEnd() }

// Status returns the state of the league as far as the log determines it.
func (s *State) Status() protocol.LeagueStatus {
	return protocol.LeagueStatus{
		GameType: s.Created.GameType, State: s.Phase(s.Ordered), Paused: s.Paused, CurrentRound: s.Round, TotalRounds: s.TotalRounds(), OpenEnd: openEnd(s),
		MatchesCompleted: s.Recorded, TotalMatches: s.TotalMatches(),
		Players: len(s.Players()), Referees: len(s.Roster(protocol.RoleReferee)),
		DrawCommitment: s.Created.DrawCommitment, Seal: s.Seal, LogHead: s.Head().Hash,
		Results: s.Basis(),
	}
}
