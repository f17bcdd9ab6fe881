package manager

import (
	"encoding/hex"
	"slices"

	"agentleague/league"
	"agentleague/protocol"
)

func (m *Manager) head(t protocol.Type, round int, what string) protocol.Envelope {
	return protocol.Envelope{
		MessageType: t, ConversationID: protocol.RoundConversation(round, what), LeagueID: m.opts.LeagueID, RoundID: protocol.Round(round),
	}
}

// roundNews announces a round: all of it, or in a large league each player's own match.
func (m *Manager) roundNews(s *league.State, round int) bulletin {
	matches := s.InRound(round)
	whole := m.announcement(s, round, matches, league.Byes(s, round))
	if len(s.Schedule.Players) <= m.opts.BroadcastLimit {
		return func(string) protocol.Message { n := *whole; return &n }
	}
	own := map[string]protocol.AnnouncedMatch{}
	for _, a := range whole.Matches {
		own[a.PlayerAID], own[a.PlayerBID] = a, a
	}
	return func(id string) protocol.Message {
		n := *whole
		n.Matches, n.Total, n.Truncated = []protocol.AnnouncedMatch{}, len(matches), true
		if a, ok := own[id]; ok {
			n.Matches = append(n.Matches, a)
		}
		return &n
	}
}

func (m *Manager) announcement(s *league.State, round int, matches []*league.Match, byes []string) *protocol.RoundAnnouncement {
	out := &protocol.RoundAnnouncement{
		Envelope: m.head(protocol.TypeRoundAnnouncement, round, "announce"), Matches: []protocol.AnnouncedMatch{}, Byes: append([]string{}, byes...),
		Seal: s.Seal, LogHead: s.HeadOf(round - 1),
	}
	for _, match := range matches {
		a := protocol.AnnouncedMatch{
			MatchID: match.ID, GameType: s.Created.GameType, PlayerAID: match.A, PlayerBID: match.B,
			RefereeID: match.Attempt().Referee, Attempt: match.Attempt().Attempt,
		}
		if ref := s.Agents[a.RefereeID]; ref != nil {
			a.RefereeEndpoint, a.MatchTokens = ref.Endpoint, ref.Native()
		}
		out.Matches = append(out.Matches, a)
	}
	return out
}

// topRows is how many rows of the table a large league's broadcasts have besides the receiver's own.
const topRows = 20

// An excerpt is what one receiver gets of a table, and if that is not all of it how many rows there are.
type excerpt func(id string) (rows []protocol.Standing, total int, truncated bool)

// cut gives each receiver all of a table, or in a large league its top and the receiver's own row.
func (m *Manager) cut(table []protocol.Standing) excerpt {
	if len(table) <= m.opts.BroadcastLimit {
		return func(string) ([]protocol.Standing, int, bool) { return table, 0, false }
	}
	top := table[:min(topRows, len(table))]
	below := map[string]protocol.Standing{}
	for _, row := range table[len(top):] {
		below[row.PlayerID] = row
	}
	return func(id string) ([]protocol.Standing, int, bool) {
		own := slices.Clone(top)
		if row, ok := below[id]; ok {
			own = append(own, row)
		}
		return own, len(table), true
	}
}

func (m *Manager) standingsNews(s *league.State, round int) bulletin {
	table := m.cut(s.StandingsAfter(round))
	return func(id string) protocol.Message {
		u := &protocol.StandingsUpdate{Envelope: m.head(protocol.TypeLeagueStandingsUpdate, round, "standings")}
		u.Standings, u.Total, u.Truncated = table(id)
		return u
	}
}

func (m *Manager) roundCompleted(s *league.State, round int) bulletin {
	matches := s.InRound(round)
	c := protocol.RoundCompleted{
		Envelope:         m.head(protocol.TypeRoundCompleted, round, "complete"),
		MatchesCompleted: len(matches), MatchesPlayed: len(matches), Byes: league.Byes(s, round),
		Summary: s.Summary(round), LogHead: s.HeadOf(round),
	}
	if round < s.Schedule.Rounds() {
		next := protocol.Round(round + 1)
		c.NextRoundID = &next
	}
	return func(string) protocol.Message { n := c; return &n }
}

func (m *Manager) leagueCompleted(s *league.State) bulletin {
	table := s.Standings()
	first, co := league.Champions(table, s.Results(), s.Created.Scoring, s.Created.Tiebreakers)
	done := protocol.LeagueCompleted{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeLeagueCompleted, ConversationID: protocol.LeagueConversation, LeagueID: m.opts.LeagueID,
		},
		TotalRounds: s.Schedule.Rounds(), TotalMatches: s.Schedule.Matches(), CoChampions: []protocol.Champion{},
		Champion: champion(first), DrawSecret: s.DrawSecret, LogHead: s.Head().Hash,
	}
	for _, row := range co {
		done.CoChampions = append(done.CoChampions, champion(row))
	}
	final := m.cut(table)
	return func(id string) protocol.Message {
		own := done
		own.FinalStandings, own.Total, own.Truncated = final(id)
		return &own
	}
}

func champion(row protocol.Standing) protocol.Champion {
	return protocol.Champion{PlayerID: row.PlayerID, DisplayName: row.DisplayName, Points: row.Points}
}

// drawKey returns the key of all chance in a match.
func (m *Manager) drawKey(s *league.State, match *league.Match) string {
	key := protocol.DrawKey(m.drawSecret, m.opts.LeagueID, match.DrawName(), s.Agents[match.A].Nonce, s.Agents[match.B].Nonce)
	return hex.EncodeToString(key)
}
