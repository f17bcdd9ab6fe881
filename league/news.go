package league

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"agentleague/protocol"
)

// News are the messages that a manager sends of its own accord. Each goes out
// to everyone it concerns; that it went out is in the log, so that it is
// repeated after a crash only if it may not have.

// A bulletin is one piece of news as each of its receivers gets it.
type bulletin func(id string) protocol.Message

// dueNews posts what has not been announced yet, in the order in which it happened.
func (m *Manager) dueNews(s *State) (due []func()) {
	tell := func(a Announced, to func() []string, write func() bulletin) {
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
			tell(Announced{"standings", round}, players, func() bulletin { return m.standingsNews(s, round) })
			tell(Announced{"completed", round}, players, func() bulletin { return m.roundCompleted(s, round) })
			continue
		}
		tell(Announced{"round", round}, players, func() bulletin { return m.roundNews(s, round) })
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
		tell(Announced{What: "league"}, everyone, func() bulletin { return m.leagueCompleted(s) })
		if s.Announced[Announced{What: "league"}] {
			due = append(due, func() { m.over.Do(func() { close(m.done) }) })
		}
	}
	return due
}

// reachable lists the players that news are sent to: all but those who have
// left, and at the end them too.
func reachable(s *State) (ids []string) {
	for _, id := range s.Players() {
		if s.Agents[id].State != protocol.AgentShutdown || s.Completed() {
			ids = append(ids, id)
		}
	}
	return ids
}

// announce posts a message to everyone it concerns. It has gone out when each of them has been tried.
func (m *Manager) announce(a Announced, to []string, news bulletin) {
	m.locked(func(v *volatile) { v.sending[a] = len(to) })
	for _, id := range to {
		m.post(id, parcel{label: a.task(), kind: a.kind(), message: func() protocol.Message { return news(id) }, tried: func(v *volatile, acknowledged bool) {
			v.sending[a]--
			if acknowledged {
				v.hear(id, news(id))
			}
		}})
	}
	m.kick()
}

// announcing reports whether a message is on its way.
func (m *Manager) announcing(a Announced) (yes bool) {
	m.locked(func(v *volatile) { _, yes = v.sending[a] })
	return yes
}

// dueNotes has it written down that messages went out. What could not be
// written is tried again, and not the message: nobody is told twice because
// the log failed once.
func (m *Manager) dueNotes(s *State) (due []func()) {
	m.locked(func(v *volatile) { maps.DeleteFunc(v.sending, func(a Announced, _ int) bool { return s.Announced[a] }) })
	if len(m.sent()) > 0 {
		due = append(due, func() { m.once("note", m.noteSent) })
	}
	return due
}

func (m *Manager) noteSent() {
	var sent []Announced
	err := m.do(m.ctx, func(*State) (events []Event, err error) {
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
func (m *Manager) sent() (out []Announced) {
	m.locked(func(v *volatile) {
		for a, left := range v.sending {
			if left == 0 {
				out = append(out, a)
			}
		}
	})
	slices.SortFunc(out, func(a, b Announced) int { return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.What, b.What)) })
	return out
}

// task names the sending of a message.
func (a Announced) task() string { return fmt.Sprintf("announce %s %d", a.What, a.Round) }

// kind is which news make up for news that were missed.
func (a Announced) kind() string {
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
			v.heard[hearing{MatchAssigned{a.MatchID, a.RefereeID, a.Attempt}, id}] = true
		}
	}
}

// dueReassigned announces the matches that have a new referee to their own players.
func (m *Manager) dueReassigned(s *State) (due []func()) {
	for _, match := range s.moved {
		a := match.Attempt()
		if match.Outcome != nil {
			continue
		}
		for _, id := range []string{match.A, match.B} {
			var sent bool
			m.locked(func(v *volatile) { sent = v.told[hearing{a, id}]; v.told[hearing{a, id}] = true })
			if !sent {
				news := m.announcement(s, match.Round, []*Match{match}, nil)
				due = append(due, func() { m.tellReassigned(id, a.key(), news) })
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
func (m *Manager) tellUnplayed(s *State, round int, tell func(Announced, func() []string, func() bulletin)) {
	if round > len(s.walked) {
		return
	}
	for _, match := range s.walked[round-1] {
		winner := func() []string { return []string{match.Outcome.Result.Winner} }
		tell(Announced{"unplayed " + match.ID, round}, winner, func() bulletin { return m.unplayedNews(s, match) })
	}
}

func (m *Manager) unplayedNews(s *State, match *Match) bulletin {
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
		YourChoice: null, OpponentChoice: null, PointsEarned: r.points(winner, s.Created.Scoring),
		Attempt: max(match.Attempt().Attempt, 1),
		GameResult: protocol.GameResult{
			Status: r.Status, WinnerPlayerID: &winner, Choices: map[string]json.RawMessage{winner: null, loser: null},
			Forfeits: r.Forfeits, Reason: loser + " has left the league; the match was not played",
		},
	}
	return func(string) protocol.Message { n := over; return &n }
}
