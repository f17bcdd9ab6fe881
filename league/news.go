package league

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"agentleague/protocol"
)

// News are the messages that a manager sends of its own accord. Each goes out
// to everyone it concerns; that it went out is in the log, so that it is
// repeated after a crash only if it may not have.

// dueNews posts what has not been announced yet, in the order in which it happened.
func (m *Manager) dueNews(s *State) (due []func()) {
	tell := func(a Announced, to []string, news func() func(id string) protocol.Message) {
		if !s.Announced[a] && !m.announcing(a) {
			message := news()
			due = append(due, func() { m.announce(a, to, message) })
		}
	}
	players := m.reachable(s)
	for round := max(s.Round-1, 1); round <= s.Round; round++ {
		closed := round < s.Round || !s.RoundOpen
		for _, match := range s.InRound(round) {
			m.tellUnplayed(s, match, tell)
			m.tellReassigned(s, match)
		}
		if closed {
			tell(Announced{"standings", round}, players, func() func(string) protocol.Message { return m.standingsNews(s, round) })
			tell(Announced{"completed", round}, players, func() func(string) protocol.Message { return m.roundCompleted(s, round) })
		} else {
			tell(Announced{"round", round}, players, func() func(string) protocol.Message { return m.roundNews(s, round) })
		}
	}
	if s.Completed() {
		everyone := slices.Clone(players)
		for _, ref := range s.Roster(protocol.RoleReferee) {
			everyone = append(everyone, ref.ID)
		}
		tell(Announced{What: "league"}, everyone, func() func(string) protocol.Message { return m.leagueCompleted(s) })
		if s.Announced[Announced{What: "league"}] {
			due = append(due, func() { m.over.Do(func() { close(m.done) }) })
		}
	}
	return due
}

// reachable lists the players that news are sent to: all but those who have left.
func (m *Manager) reachable(s *State) (ids []string) {
	for _, id := range s.Players() {
		if s.Agents[id].State != protocol.AgentShutdown || s.Completed() {
			ids = append(ids, id)
		}
	}
	return ids
}

// announce posts a message to everyone it concerns and notes that it went out
// when each of them has been tried.
func (m *Manager) announce(a Announced, to []string, message func(id string) protocol.Message) {
	what := announcing(a)
	var left atomic.Int64
	left.Store(int64(len(to)))
	tried := make(chan struct{}, 1)
	if len(to) == 0 {
		tried <- struct{}{}
	}
	for _, id := range to {
		m.post(id, parcel{label: what, message: func() protocol.Message { return message(id) }, first: func(ok bool) {
			if ok && a.What == "round" {
				m.heard(a.Round, id)
			}
			if left.Add(-1) == 0 {
				tried <- struct{}{}
			}
		}})
	}
	m.once(what, func() {
		select {
		case <-tried:
		case <-m.ctx.Done():
			return
		}
		m.info(strings.ToUpper(a.What)+"_SENT", slog.Int("round_id", a.Round), slog.Int("receivers", len(to)))
		_ = m.do(m.ctx, func(s *State) ([]Event, error) {
			if s.Announced[a] {
				return nil, nil
			}
			return []Event{a}, nil
		})
	})
}

func announcing(a Announced) string { return fmt.Sprintf("announce %s %d", a.What, a.Round) }

// announcing reports whether a message is on its way.
func (m *Manager) announcing(a Announced) (yes bool) {
	m.locked(func(v *volatile) { yes = v.tasks[announcing(a)] })
	return yes
}

// heard notes that a player knows of its match in a round.
func (m *Manager) heard(round int, id string) {
	m.Read(func(s *State) {
		for _, match := range s.InRound(round) {
			if match.A == id || match.B == id {
				m.locked(func(v *volatile) { v.heard[attemptKey(match.Attempt())+id] = true })
			}
		}
	})
	m.kick()
}

// tellReassigned announces a match that has a new referee to its two players alone.
func (m *Manager) tellReassigned(s *State, match *Match) {
	a := match.Attempt()
	if a.Attempt < 2 || match.Outcome != nil {
		return
	}
	news := m.announcement(s, match.Round, []*Match{match}, nil)
	for _, id := range []string{match.A, match.B} {
		key := attemptKey(a) + id
		var sent bool
		m.locked(func(v *volatile) { sent = v.told[key]; v.told[key] = true })
		if sent {
			continue
		}
		m.post(id, parcel{label: key, message: func() protocol.Message { n := *news; return &n }, first: func(ok bool) {
			if ok {
				m.locked(func(v *volatile) { v.heard[key] = true })
				m.kick()
			}
		}})
	}
}

func (m *Manager) head(t protocol.Type, round int, what string) protocol.Envelope {
	return protocol.Envelope{
		MessageType: t, ConversationID: protocol.RoundConversation(round, what), LeagueID: m.opts.LeagueID, RoundID: protocol.Round(round),
	}
}

// roundNews announces a round: all of it, or in a large league each player's own match.
func (m *Manager) roundNews(s *State, round int) func(id string) protocol.Message {
	matches := s.InRound(round)
	byes := []string{}
	if bye := s.Schedule.Bye(round); bye != "" {
		byes = append(byes, bye)
	}
	whole := m.announcement(s, round, matches, byes)
	if len(s.Schedule.Players) <= m.opts.BroadcastLimit {
		return func(string) protocol.Message { n := *whole; return &n }
	}
	return func(id string) protocol.Message {
		own := *whole
		own.Matches = slices.DeleteFunc(slices.Clone(whole.Matches), func(a protocol.AnnouncedMatch) bool {
			return a.PlayerAID != id && a.PlayerBID != id
		})
		own.Total, own.Truncated = len(matches), true
		return &own
	}
}

func (m *Manager) announcement(s *State, round int, matches []*Match, byes []string) *protocol.RoundAnnouncement {
	out := &protocol.RoundAnnouncement{
		Envelope: m.head(protocol.TypeRoundAnnouncement, round, "announce"), Matches: []protocol.AnnouncedMatch{}, Byes: append([]string{}, byes...),
	}
	for _, match := range matches {
		a := protocol.AnnouncedMatch{
			MatchID: match.ID, GameType: s.Created.GameType, PlayerAID: match.A, PlayerBID: match.B,
			RefereeID: match.Attempt().Referee, Attempt: match.Attempt().Attempt,
		}
		if ref := s.Agents[a.RefereeID]; ref != nil {
			a.RefereeEndpoint, a.MatchTokens = ref.Endpoint, ref.MatchTokens
		}
		out.Matches = append(out.Matches, a)
	}
	return out
}

// topRows is how many rows of the table a large league's broadcasts have besides the receiver's own.
const topRows = 20

// excerpt returns the rows of a table for one receiver, and whether that is not all of it.
func (m *Manager) excerpt(table []protocol.Standing, id string) (rows []protocol.Standing, truncated bool) {
	if len(table) <= m.opts.BroadcastLimit {
		return table, false
	}
	rows = slices.Clone(table[:topRows])
	for _, row := range table[topRows:] {
		if row.PlayerID == id {
			rows = append(rows, row)
		}
	}
	return rows, true
}

// until is the state's table after a round, whatever has been played since.
func (s *State) until(round int) []protocol.Standing {
	var results []Played
	for r := 1; r <= round; r++ {
		for _, m := range s.InRound(r) {
			if m.Outcome != nil {
				results = append(results, Played{m.A, m.B, m.Outcome.Result})
			}
		}
	}
	return Standings(s.Players(), s.name, results, s.Created.Scoring, s.Created.Tiebreakers)
}

func (m *Manager) standingsNews(s *State, round int) func(id string) protocol.Message {
	table := s.until(round)
	return func(id string) protocol.Message {
		u := &protocol.StandingsUpdate{Envelope: m.head(protocol.TypeLeagueStandingsUpdate, round, "standings")}
		u.Standings, u.Truncated = m.excerpt(table, id)
		if u.Truncated {
			u.Total = len(table)
		}
		return u
	}
}

func (m *Manager) roundCompleted(s *State, round int) func(id string) protocol.Message {
	matches := s.InRound(round)
	c := protocol.RoundCompleted{
		Envelope:         m.head(protocol.TypeRoundCompleted, round, "complete"),
		MatchesCompleted: len(matches), MatchesPlayed: len(matches), Byes: []string{},
		Summary: protocol.RoundSummary{TotalMatches: len(matches)},
	}
	if round < s.Schedule.Rounds() {
		next := protocol.Round(round + 1)
		c.NextRoundID = &next
	}
	if bye := s.Schedule.Bye(round); bye != "" {
		c.Byes = append(c.Byes, bye)
	}
	for _, match := range matches {
		if match.Outcome == nil {
			continue
		}
		switch match.Outcome.Result.Status {
		case protocol.Win:
			c.Summary.Wins++
		case protocol.Draw:
			c.Summary.Draws++
		default:
			c.Summary.TechnicalLosses++
		}
	}
	return func(string) protocol.Message { n := c; return &n }
}

func (m *Manager) leagueCompleted(s *State) func(id string) protocol.Message {
	table := s.Standings()
	first, co := Champions(table, s.Results(), s.Created.Scoring, s.Created.Tiebreakers)
	done := protocol.LeagueCompleted{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeLeagueCompleted, ConversationID: protocol.LeagueConversation, LeagueID: m.opts.LeagueID,
		},
		TotalRounds: s.Schedule.Rounds(), TotalMatches: s.Schedule.Matches(), CoChampions: []protocol.Champion{},
		Champion: champion(first), DrawSecret: s.DrawSecret,
	}
	for _, row := range co {
		done.CoChampions = append(done.CoChampions, champion(row))
	}
	return func(id string) protocol.Message {
		own := done
		own.FinalStandings, own.Truncated = m.excerpt(table, id)
		if own.Truncated {
			own.Total = len(table)
		}
		return &own
	}
}

func champion(row protocol.Standing) protocol.Champion {
	return protocol.Champion{PlayerID: row.PlayerID, DisplayName: row.DisplayName, Points: row.Points}
}

// tellUnplayed tells a player that it won a match because its opponent had left.
// There is no referee to do it.
func (m *Manager) tellUnplayed(s *State, match *Match, tell func(Announced, []string, func() func(string) protocol.Message)) {
	if match.Outcome == nil || match.Outcome.Attempt != 0 || match.Outcome.Result.Winner == "" {
		return
	}
	r, winner := match.Outcome.Result, match.Outcome.Result.Winner
	loser := match.A
	if loser == winner {
		loser = match.B
	}
	null := json.RawMessage("null")
	over := protocol.GameOver{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeGameOver, ConversationID: "conv-" + strings.ToLower(match.ID) + "-unplayed",
			LeagueID: m.opts.LeagueID, RoundID: protocol.Round(match.Round), MatchID: match.ID,
		},
		GameType: s.Created.GameType, PlayerID: winner, OpponentID: loser, Result: protocol.Win, Winner: &winner,
		YourChoice: null, OpponentChoice: null, PointsEarned: r.points(winner, s.Created.Scoring), Attempt: 1,
		GameResult: protocol.GameResult{
			Status: r.Status, WinnerPlayerID: &winner, Choices: map[string]json.RawMessage{winner: null, loser: null},
			Forfeits: r.Forfeits, Reason: loser + " has left the league; the match was not played",
		},
	}
	tell(Announced{"unplayed " + match.ID, match.Round}, []string{winner}, func() func(string) protocol.Message {
		return func(string) protocol.Message { n := over; return &n }
	})
}

// drawKey returns the key of all chance in a match.
func (m *Manager) drawKey(s *State, match *Match) string {
	key := protocol.DrawKey(m.drawSecret, m.opts.LeagueID, match.ID, s.Agents[match.A].Nonce, s.Agents[match.B].Nonce)
	return hex.EncodeToString(key)
}
