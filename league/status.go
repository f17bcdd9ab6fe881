package league

import "agentleague/protocol"

// Status returns the state of the league as far as the log determines it.
func (s *State) Status() protocol.LeagueStatus {
	return protocol.LeagueStatus{
		GameType: s.Created.GameType, State: s.Phase(s.Ordered), Paused: s.Paused, CurrentRound: s.Round, TotalRounds: s.TotalRounds(),
		MatchesCompleted: s.Recorded, TotalMatches: s.TotalMatches(),
		Players: len(s.Players()), Referees: len(s.Roster(protocol.RoleReferee)),
		DrawCommitment: s.Created.DrawCommitment, Seal: s.Seal, LogHead: s.Head().Hash,
		Results: s.Basis(),
	}
}
