package league

import (
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

// A bulletin is one piece of news as each of its receivers gets it.
type bulletin func(id string) protocol.Message

// dueNews posts what has not been announced yet, in the order in which it happened.
func (m *Manager) dueNews(s *State) (due []func()) {
	tell := func(a Announced, to []string, write func() bulletin) {
		if !s.Announced[a] && !m.announcing(a) {
			news := write()
			due = append(due, func() { m.announce(a, to, news) })
		}
	}
	players := reachable(s)
	for round := max(s.Round-1, 1); round <= s.Round; round++ {
		if !s.RoundOpen || round < s.Round {
			m.tellUnplayed(s, round, tell)
			tell(Announced{"standings", round}, players, func() bulletin { return m.standingsNews(s, round) })
			tell(Announced{"completed", round}, players, func() bulletin { return m.roundCompleted(s, round) })
			continue
		}
		tell(Announced{"round", round}, players, func() bulletin { return m.roundNews(s, round) })
		due = append(due, m.dueReassigned(s)...)
		m.tellUnplayed(s, round, tell)
	}
	if s.Completed() {
		everyone := slices.Clone(players)
		for _, ref := range s.Roster(protocol.RoleReferee) {
			everyone = append(everyone, ref.ID)
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

// announce posts a message to everyone it concerns and notes that it went out
// when each of them has been tried.
func (m *Manager) announce(a Announced, to []string, news bulletin) {
	var left atomic.Int64
	left.Store(int64(len(to)))
	tried := make(chan struct{})
	if len(to) == 0 {
		close(tried)
	}
	kind := a.What
	if strings.HasPrefix(kind, "unplayed") {
		kind = ""
	}
	for _, id := range to {
		m.post(id, parcel{label: a.task(), kind: kind, message: func() protocol.Message { return news(id) }, first: func(ok bool) {
			if ok {
				m.heard(id, news(id))
			}
			if left.Add(-1) == 0 {
				close(tried)
			}
		}})
	}
	m.once(a.task(), func() {
		select {
		case <-tried:
		case <-m.ctx.Done():
			return
		}
		m.info(strings.ToUpper(a.What)+"_SENT", slog.Int("round_id", a.Round), slog.Int("receivers", len(to)))
		m.noteSent(a)
	})
}

// noteSent writes down that a message went out. It tries until the log takes
// it: nobody is to be told twice because the log failed once.
func (m *Manager) noteSent(a Announced) {
	for m.ctx.Err() == nil {
		err := m.do(m.ctx, func(s *State) ([]Event, error) {
			if s.Announced[a] {
				return nil, nil
			}
			return []Event{a}, nil
		})
		if err == nil {
			return
		}
	}
}

// task names the sending of a message.
func (a Announced) task() string { return fmt.Sprintf("announce %s %d", a.What, a.Round) }

// announcing reports whether a message is on its way.
func (m *Manager) announcing(a Announced) (yes bool) {
	m.locked(func(v *volatile) { yes = v.tasks[a.task()] })
	return yes
}

// heard notes which attempts a player knows of that has acknowledged a message.
func (m *Manager) heard(id string, msg protocol.Message) {
	round, ok := msg.(*protocol.RoundAnnouncement)
	if !ok {
		return
	}
	m.locked(func(v *volatile) {
		for _, a := range round.Matches {
			if a.PlayerAID == id || a.PlayerBID == id {
				v.heard[hearing{MatchAssigned{a.MatchID, a.RefereeID, a.Attempt}, id}] = true
			}
		}
	})
	m.kick()
}

// dueReassigned announces the matches that have a new referee to their own players.
func (m *Manager) dueReassigned(s *State) (due []func()) {
	for _, match := range s.Open() {
		a := match.Attempt()
		if a.Attempt < 2 {
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
	m.post(id, parcel{label: what, message: func() protocol.Message { n := *news; return &n }, first: func(ok bool) {
		if ok {
			m.heard(id, news)
		}
	}})
}

// tellUnplayed tells players that they won matches because their opponents had
// left. There is no referee to do it.
func (m *Manager) tellUnplayed(s *State, round int, tell func(Announced, []string, func() bulletin)) {
	for _, match := range s.InRound(round) {
		if match.Outcome == nil || match.Outcome.Attempt != 0 || match.Outcome.Result.Winner == "" {
			continue
		}
		tell(Announced{"unplayed " + match.ID, round}, []string{match.Outcome.Result.Winner}, func() bulletin { return m.unplayedNews(s, match) })
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
