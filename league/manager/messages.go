package manager

import (
	"slices"

	"agentleague/league"
	"agentleague/protocol"
)

// head returns the envelope of a message about a round. The conversation id is derived from the round and what, the
// subject, so that receivers recognize duplicates.
func (b *broadcaster) head(t protocol.Type, round int, what string) protocol.Envelope {
	return protocol.Envelope{
		MessageType: t, ConversationID: protocol.RoundConversation(round, what), LeagueID: b.opts.LeagueID,
		RoundID: protocol.Round(round),
	}
}

// roundNews returns the announcement of a round. In a large league each receiver gets only its own match.
func (b *broadcaster) roundNews(s *league.State, round int) broadcast {
	whole := b.announcement(s, round, s.InRound(round), league.Byes(s, round))
	own := make(map[string]int, 2*len(whole.Matches)) // where each player's match is among all
	for i, a := range whole.Matches {
		own[a.PlayerAID], own[a.PlayerBID] = i, i
	}
	news := broadcast{heard: func(id string) {
		if i, plays := own[id]; plays {
			b.tasks.recordAcknowledgment(id, whole.Matches[i])
		}
	}}
	if len(s.Players()) <= b.opts.BroadcastLimit {
		whole.Begin(protocol.Share(protocol.TypeRoundAnnouncement, "matches", whole.Matches))
		news.to = func(string) protocol.Message { n := *whole; return &n }
		return news
	}
	news.to = func(id string) protocol.Message {
		n := *whole
		n.Matches, n.Total, n.Truncated = []protocol.AnnouncedMatch{}, len(whole.Matches), true
		if i, plays := own[id]; plays {
			n.Matches = whole.Matches[i : i+1 : i+1]
		}
		return &n
	}
	return news
}

// inOrderOfMatches lists the receivers of a round's announcement by match: both players of the first match, then those
// of the second, and so on. The first match can then begin before the last players are notified.
func inOrderOfMatches(s *league.State, round int) []string {
	to, all := make([]string, 0, len(s.Players())), reachable(s)
	for _, match := range s.InRound(round) {
		to = append(to, match.A, match.B)
	}
	told := make(map[string]bool, len(all))
	for _, id := range all {
		told[id] = true
	}
	to = slices.DeleteFunc(to, func(id string) bool { in := told[id]; delete(told, id); return !in })
	for _, id := range all {
		if told[id] { // it has no match
			to = append(to, id)
		}
	}
	return to
}

// announcement returns the announcement of matches with their referees and addresses. It carries the head of the log,
// which players sign with their answers.
func (b *broadcaster) announcement(
	s *league.State, round int, matches []*league.Match, byes []string,
) *protocol.RoundAnnouncement {
	out := &protocol.RoundAnnouncement{
		Envelope: b.head(protocol.TypeRoundAnnouncement, round, "announce"), Matches: []protocol.AnnouncedMatch{},
		Byes: append([]string{}, byes...),
		Seal: s.Seal, LogHead: s.HeadOf(round - 1),
	}
	paired, _ := league.PairedRound(s, round)
	out.Format, out.Stage, out.Leg, out.OfLegs = league.FormatOf(s), paired.Stage, paired.Leg, paired.OfLegs
	for _, match := range matches {
		a := protocol.AnnouncedMatch{
			MatchID: match.ID, GameType: s.Created.GameType, PlayerAID: match.A, PlayerBID: match.B,
			RefereeID: match.Attempt().Referee, Attempt: match.Attempt().Attempt,
		}
		if ref := s.Agents[a.RefereeID]; ref != nil {
			a.RefereeEndpoint, a.Native = b.reach(ref.ID, ref.Endpoint, b.outside()), ref.Native()
		}
		out.Matches = append(out.Matches, a)
	}
	return out
}

// topRows is the number of top rows of the table in a large league's broadcasts, in addition to the receiver's own.
const topRows = 20

// An excerpt returns the rows of a table that player id receives. If truncated, total is the number of rows of the
// whole table.
type excerpt func(id string) (rows []protocol.Standing, total int, truncated bool)

// commonRows returns the rows of a table, or of its champions, that every receiver gets.
func (b *broadcaster) commonRows(table []protocol.Standing) []protocol.Standing {
	if len(table) <= b.opts.BroadcastLimit {
		return table
	}
	return table[:min(topRows, len(table))]
}

// cutTable returns the excerpts of a table: all rows, or in a large league the top rows and the receiver's own.
func (b *broadcaster) cutTable(table []protocol.Standing) excerpt {
	if len(table) <= b.opts.BroadcastLimit {
		return func(string) ([]protocol.Standing, int, bool) { return table, 0, false }
	}
	top := b.commonRows(table)
	below := make(map[string]int, len(table)-len(top)) // where each player's row is
	for i, row := range table[len(top):] {
		below[row.PlayerID] = len(top) + i
	}
	return func(id string) ([]protocol.Standing, int, bool) {
		own := append(make([]protocol.Standing, 0, len(top)+1), top...)
		if i, ok := below[id]; ok {
			own = append(own, table[i])
		}
		return own, len(table), true
	}
}

// standingsNews returns the table after a round. In a large league each player gets the top rows and its own, marked
// as truncated.
func (b *broadcaster) standingsNews(s *league.State, round int) broadcast {
	all := s.TableAfter(round).Rows
	table := b.cutTable(all)
	head := b.head(protocol.TypeLeagueStandingsUpdate, round, "standings")
	head.Begin(protocol.Share(head.MessageType, "standings", b.commonRows(all)))
	return broadcast{to: func(id string) protocol.Message {
		u := &protocol.StandingsUpdate{Envelope: head}
		u.Standings, u.Total, u.Truncated = table(id)
		return u
	}}
}

// roundCompleted returns the message that ends a round: its summary, and the number of the next round, if any.
func (b *broadcaster) roundCompleted(s *league.State, round int) broadcast {
	matches := s.InRound(round)
	c := protocol.RoundCompleted{
		Envelope:         b.head(protocol.TypeRoundCompleted, round, "complete"),
		MatchesCompleted: len(matches), MatchesPlayed: len(matches), Byes: league.Byes(s, round),
		Summary: s.Summary(round), LogHead: s.HeadOf(round),
	}
	if league.MayContinue(s, round) {
		next := protocol.Round(round + 1)
		c.NextRoundID = &next
	}
	return broadcast{to: func(string) protocol.Message { n := c; return &n }}
}

// leagueCompleted returns the message that ends the league. For native agents it names the next league.
func (b *broadcaster) leagueCompleted(s *league.State, next string) broadcast {
	table := s.Table()
	done := protocol.LeagueCompleted{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeLeagueCompleted, ConversationID: protocol.LeagueConversation,
			LeagueID: b.opts.LeagueID,
		},
		TotalRounds: s.TotalRounds(), TotalMatches: s.TotalMatches(), CoChampions: []protocol.Champion{},
		DrawSecret: s.DrawSecret, LogHead: s.Head().Hash,
		Cancelled: s.Cancelled,
	}
	for i, row := range b.commonRows(league.Champions(s, table)) {
		first := protocol.Champion{PlayerID: row.PlayerID, DisplayName: row.DisplayName, Points: row.Points}
		if i == 0 {
			done.Champion = first
		} else {
			done.CoChampions = append(done.CoChampions, first)
		}
	}
	final := b.cutTable(table.Rows)
	native := map[string]bool{}
	for id, a := range s.Agents {
		native[id] = a.Native()
	}
	return broadcast{to: func(id string) protocol.Message {
		own := done
		if native[id] {
			own.NextLeagueID = next
		}
		own.FinalStandings, own.Total, own.Truncated = final(id)
		return &own
	}}
}
