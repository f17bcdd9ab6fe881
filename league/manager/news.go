package manager

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
)

// News are the messages that a manager sends of its own accord. Each goes out
// to everyone it concerns; that it went out is in the log, so that it is
// repeated after a crash only if it may not have.

// A bulletin is one piece of news as each of its receivers gets it.
type bulletin func(id string) protocol.Message

// dueNews posts what has not been announced yet, in the order in which it happened.
func (m *Manager) dueNews(s *league.State) (due []func()) {
	tell := func(a league.Announced, to func() []string, write func() bulletin) {
		if !s.Announced[a] && !m.announcing(a) {
			to, news := to(), write()
			due = append(due, func() { m.announce(a, to, news) })
		}
	}
	players := func() []string { return reachable(s) }
	for round := max(s.Round-1, 1); round <= s.Round; round++ {
		due = append(due, m.dueSilent(s, round, tell)...)
		if !s.RoundOpen || round < s.Round {
			m.tellUnplayed(s, round, tell)
			tell(league.Announced{What: "standings", Round: round}, players, func() bulletin { return m.standingsNews(s, round) })
			tell(league.Announced{What: "completed", Round: round}, players, func() bulletin { return m.roundCompleted(s, round) })
			continue
		}
		tell(league.Announced{What: "round", Round: round}, players, func() bulletin { return m.roundNews(s, round) })
		m.tellUnplayed(s, round, tell)
	}
	due = append(due, m.dueReassigned(s)...)
	if s.Completed() {
		everyone := func() []string {
			all := reachable(s)
			for _, ref := range s.Roster(protocol.RoleReferee) {
				all = append(all, ref.ID)
			}
			return all
		}
		tell(league.Announced{What: "league"}, everyone, func() bulletin { return m.leagueCompleted(s) })
		if s.Announced[league.Announced{What: "league"}] {
			due = append(due, func() { m.over.Do(func() { close(m.done) }) })
		}
	}
	return due
}

// reachable lists the players that news are sent to: all but those who have
// left, and at the end them too.
func reachable(s *league.State) (ids []string) {
	for _, id := range s.Players() {
		if s.Agents[id].State != protocol.AgentShutdown || s.Completed() {
			ids = append(ids, id)
		}
	}
	return ids
}

// announce posts a message to everyone it concerns. It has gone out when each of them has been tried.
func (m *Manager) announce(a league.Announced, to []string, news bulletin) {
	m.locked(func(v *volatile) { v.sending[a] = len(to) })
	for _, id := range to {
		m.post(id, parcel{label: sendingOf(a), kind: kindOf(a), message: func() protocol.Message { return news(id) }, tried: func(v *volatile, acknowledged bool) {
			v.sending[a]--
			if acknowledged {
				v.hear(id, news(id))
			}
		}})
	}
	m.kick()
}

// announcing reports whether a message is on its way.
func (m *Manager) announcing(a league.Announced) (yes bool) {
	m.locked(func(v *volatile) { _, yes = v.sending[a] })
	return yes
}

// dueNotes has it written down that messages went out. What could not be
// written is tried again, and not the message: nobody is told twice because
// the log failed once.
func (m *Manager) dueNotes(s *league.State) (due []func()) {
	m.locked(func(v *volatile) {
		maps.DeleteFunc(v.sending, func(a league.Announced, _ int) bool { return s.Announced[a] })
	})
	if len(m.sent()) > 0 {
		due = append(due, func() { m.once("note", m.noteSent) })
	}
	return due
}

func (m *Manager) noteSent() {
	var sent []league.Announced
	err := m.do(m.ctx, func(*league.State) (events []league.Event, err error) {
		sent = m.sent()
		for _, a := range sent {
			events = append(events, a)
		}
		return events, nil
	})
	if err != nil {
		return
	}
	for _, a := range sent {
		m.info(strings.ToUpper(a.What)+"_SENT", slog.Int("round_id", a.Round))
	}
}

// sent lists the messages that went out and of which the log does not know yet.
func (m *Manager) sent() (out []league.Announced) {
	m.locked(func(v *volatile) {
		for a, left := range v.sending {
			if left == 0 {
				out = append(out, a)
			}
		}
	})
	slices.SortFunc(out, func(a, b league.Announced) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.What, b.What))
	})
	return out
}

// sendingOf names the sending of a message.
func sendingOf(a league.Announced) string { return fmt.Sprintf("announce %s %d", a.What, a.Round) }

// kindOf is which news make up for news that were missed.
func kindOf(a league.Announced) string {
	if strings.HasPrefix(a.What, "unplayed") || strings.HasPrefix(a.What, "told") {
		return ""
	}
	return a.What
}

// hear notes which attempts a player knows of that has acknowledged a message.
func (v *volatile) hear(id string, msg protocol.Message) {
	round, ok := msg.(*protocol.RoundAnnouncement)
	if !ok {
		return
	}
	for _, a := range round.Matches {
		if a.PlayerAID == id || a.PlayerBID == id {
			v.heard[hearing{league.MatchAssigned{Match: a.MatchID, Referee: a.RefereeID, Attempt: a.Attempt}, id}] = true
		}
	}
}

// dueReassigned announces the matches that have a new referee to their own players.
func (m *Manager) dueReassigned(s *league.State) (due []func()) {
	for _, match := range s.Reassigned() {
		a := match.Attempt()
		if match.Outcome != nil {
			continue
		}
		for _, id := range []string{match.A, match.B} {
			var sent bool
			m.locked(func(v *volatile) { sent = v.told[hearing{a, id}]; v.told[hearing{a, id}] = true })
			if !sent {
				news := m.announcement(s, match.Round, []*league.Match{match}, nil)
				due = append(due, func() { m.tellReassigned(id, a.Key(), news) })
			}
		}
	}
	return due
}

func (m *Manager) tellReassigned(id, what string, news *protocol.RoundAnnouncement) {
	m.post(id, parcel{label: what, message: func() protocol.Message { n := *news; return &n }, tried: func(v *volatile, acknowledged bool) {
		if acknowledged {
			v.hear(id, news)
		}
	}})
}

// tellUnplayed tells players that they won matches because their opponents had
// left. There is no referee to do it.
func (m *Manager) tellUnplayed(s *league.State, round int, tell func(league.Announced, func() []string, func() bulletin)) {
	for _, match := range s.Walkovers(round) {
		winner := func() []string { return []string{match.Outcome.Result.Winner} }
		tell(league.Announced{What: "unplayed " + match.ID, Round: round}, winner, func() bulletin { return m.unplayedNews(s, match) })
	}
}

func (m *Manager) unplayedNews(s *league.State, match *league.Match) bulletin {
	r := match.Outcome.Result
	winner, loser := r.Winner, match.A
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
		YourChoice: null, OpponentChoice: null, PointsEarned: r.Points(winner, s.Created.Scoring),
		Attempt: max(match.Attempt().Attempt, 1),
		GameResult: protocol.GameResult{
			Status: r.Status, WinnerPlayerID: &winner, Choices: map[string]json.RawMessage{winner: null, loser: null},
			Forfeits: r.Forfeits, Reason: loser + " has left the league; the match was not played",
		},
	}
	return func(string) protocol.Message { n := over; return &n }
}
