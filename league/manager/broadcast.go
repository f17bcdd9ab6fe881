package manager

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/league/outbox"
	"agentleague/protocol"
)

// Broadcasts are the messages that a manager sends unprompted. Each goes to all agents that it concerns, and the log
// then records that it was sent. After a crash the manager repeats only messages without such a record.

// A broadcaster sends the broadcasts of the league to the agents.
type broadcaster struct {
	*core
	*ledger
	*jobs
	out   *outbox.Outbox
	tasks *matchTasks

	done chan struct{} // closed when the league is over and the agents have been notified
	over sync.Once

	settle func(ctx context.Context) (missing int) // waits for the records of the last matches

	mu      sync.Mutex
	kept    bool                     // the head of the log covers the end of the league
	nextID  *string                  // the id of the next season, "" if there is none; nil: not determined yet
	sending map[league.Announced]int // how many of those a message concerns have not been tried yet
}

// newBroadcaster returns a broadcaster that has sent nothing yet; the log determines the outstanding news.
func newBroadcaster(c *core, l *ledger, j *jobs, out *outbox.Outbox, tasks *matchTasks) *broadcaster {
	return &broadcaster{core: c, ledger: l, jobs: j, out: out, tasks: tasks, done: make(chan struct{}),
		sending: map[league.Announced]int{}}
}

// A broadcast builds one message for each of its receivers. Both functions must be safe for concurrent use.
type broadcast struct {
	to    func(id string) protocol.Message // a new one each time, since the sender completes it
	heard func(id string)                  // called for each agent that acknowledges the first try; may be nil
}

// dueNews queues the messages about events of the log that were not announced yet, in the order of the events.
func (b *broadcaster) dueNews(s *league.State) (due []func()) {
	tell := func(a league.Announced, to func() []string, write func() broadcast) {
		if !s.Announced[a] && !b.isAnnouncing(a) {
			to, news := to(), write()
			due = append(due, func() { b.announce(a, to, news) })
		}
	}
	players := func() []string { return reachable(s) }
	for round := max(s.Round-1, 1); round <= s.Round && !s.Cancelled; round++ {
		due = append(due, b.dueSilent(s, round, tell)...)
		if !s.RoundOpen || round < s.Round {
			b.tellUnplayed(s, round, tell)
			tell(league.Announced{What: "standings", Round: round}, players,
				func() broadcast { return b.standingsNews(s, round) })
			tell(league.Announced{What: "completed", Round: round}, players,
				func() broadcast { return b.roundCompleted(s, round) })
			continue
		}
		tell(league.Announced{What: "round", Round: round}, func() []string { return inOrderOfMatches(s, round) },
			func() broadcast { return b.roundNews(s, round) })
		b.tellUnplayed(s, round, tell)
		due = append(due, b.dueAbsent(s)...)
	}
	due = append(due, b.dueReassigned(s)...)
	if s.Completed() && !s.Announced[league.Announced{What: "league"}] && !b.headKept() {
		return append(due, func() { b.once("head", b.keepHead) })
	}
	if s.Completed() {
		everyone := func() []string {
			all := reachable(s)
			for _, ref := range s.Roster(protocol.RoleReferee) {
				if ref.Native() || !b.Node.Profile.Rules().EndsForPlayers {
					all = append(all, ref.ID)
				}
			}
			return all
		}
		if next, known := b.nextSeason(s); known {
			tell(league.Announced{What: "league"}, everyone, func() broadcast { return b.leagueCompleted(s, next) })
		} else {
			due = append(due, func() { b.once("next season", b.makeNext) })
		}
		if s.Announced[league.Announced{What: "league"}] {
			due = append(due, func() { b.over.Do(func() { close(b.done) }) })
		}
	}
	return due
}

// endAnnounced reports whether the league is over and its end was announced.
func (b *broadcaster) endAnnounced() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// headKept reports whether the hash of the last log line is durable. Only then may players sign it.
func (b *broadcaster) headKept() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kept || b.opts.KeepHead == nil
}

// keepHead makes the hash of the last log line durable. It retries until it succeeds or the manager ends.
func (b *broadcaster) keepHead() {
	for err := b.opts.KeepHead(); err != nil; err = b.opts.KeepHead() {
		b.trouble("the head of the log cannot be written", err)
		if b.Node.Sleep(b.ctx, "head", time.Second) != nil {
			return
		}
	}
	b.trouble("the head of the log cannot be written", nil)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = true
}

// reachable lists the players that receive broadcasts: those that have not left the league, and after its end all.
func reachable(s *league.State) (ids []string) {
	for _, id := range s.Players() {
		if s.Agents[id].State != protocol.AgentShutdown || s.Completed() {
			ids = append(ids, id)
		}
	}
	return ids
}

// announce queues a message for the agents in to, without waiting. The message counts as sent after one try to deliver
// it to each receiver, whether or not the tries succeeded.
func (b *broadcaster) announce(a league.Announced, to []string, news broadcast) {
	b.mu.Lock()
	b.sending[a] = len(to)
	b.mu.Unlock()
	b.out.Post(&outbox.Parcel{Label: sendingOf(a), Kind: kindOf(a), Message: news.to, Tried: func(id string, acknowledged bool) {
		b.countTried(a)
		if acknowledged && news.heard != nil {
			news.heard(id)
		}
	}}, to...)
	b.nudge()
}

// countTried records that the message was tried for one more receiver.
func (b *broadcaster) countTried(a league.Announced) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sending[a]--
}

// isAnnouncing reports whether the message a is being sent, or was sent and is not logged as sent yet.
func (b *broadcaster) isAnnouncing(a league.Announced) (yes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, yes = b.sending[a]
	return yes
}

// dueNotes returns the job that logs the sent messages. If the write fails, the write is retried and the messages are
// not sent again.
func (b *broadcaster) dueNotes(s *league.State) (due []func()) {
	b.mu.Lock()
	maps.DeleteFunc(b.sending, func(a league.Announced, _ int) bool { return s.Announced[a] })
	b.mu.Unlock()
	if b.anySent() {
		due = append(due, func() { b.once("note", b.noteSent) })
	}
	return due
}

// noteIfSent starts the job of dueNotes if a message was sent and is not logged as sent yet. It needs no scan of the
// league.
func (b *broadcaster) noteIfSent() {
	if b.anySent() {
		b.once("note", b.noteSent)
	}
}

// anySent reports whether a message was sent and is not logged as sent yet.
func (b *broadcaster) anySent() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, left := range b.sending {
		if left == 0 {
			return true
		}
	}
	return false
}

// noteSent writes the sent broadcasts to the log. After a crash before that they are sent again, which is harmless:
// messages are idempotent.
func (b *broadcaster) noteSent() {
	var sent []league.Announced
	err := b.Do(b.ctx, func(*league.State) (events []league.Event, err error) {
		sent = b.sent()
		for _, a := range sent {
			events = append(events, a)
		}
		return events, nil
	})
	if err != nil {
		return
	}
	for _, a := range sent {
		b.noteAnnounced(a)
	}
}

// sent lists the messages that were sent and are not logged as sent yet.
func (b *broadcaster) sent() (out []league.Announced) {
	b.mu.Lock()
	for a, left := range b.sending {
		if left == 0 {
			out = append(out, a)
		}
	}
	b.mu.Unlock()
	slices.SortFunc(out, func(a, b league.Announced) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.What, b.What))
	})
	return out
}

// noteAnnounced writes a log line for people: a message was sent to all agents that it concerns.
func (b *broadcaster) noteAnnounced(a league.Announced) {
	var players, matches int
	b.Read(func(s *league.State) { players, matches = len(reachable(s)), len(s.InRound(a.Round)) })
	round := slog.Int("round_id", a.Round)
	switch a.What {
	case "round":
		b.note(slog.LevelInfo, "ROUND_ANNOUNCEMENT_SENT", fmt.Sprintf("round %d announced to %d players", a.Round, players),
			round, slog.Int("matches_count", matches))
	case "standings":
		b.note(slog.LevelInfo, "LEAGUE_STANDINGS_UPDATE_SENT",
			fmt.Sprintf("standings after round %d sent to %d players", a.Round, players), round)
	case "completed":
		b.note(slog.LevelInfo, "ROUND_COMPLETED_SENT", fmt.Sprintf("end of round %d announced to %d players", a.Round, players),
			round, slog.Int("matches_count", matches))
	case "league":
		b.note(slog.LevelInfo, "LEAGUE_COMPLETED_SENT", fmt.Sprintf("end of the league announced to %d players", players))
	default: // something for a single player, or for a third-party referee
		b.note(slog.LevelInfo, "MATCH_ANNOUNCEMENT_SENT", fmt.Sprintf("%s announced in round %d", a.What, a.Round), round)
	}
}

// sendingOf returns the name of the job that sends a message.
func sendingOf(a league.Announced) string { return fmt.Sprintf("announce %s %d", a.What, a.Round) }

// kindOf returns the kind of a message. A newer message of the same kind supersedes undelivered ones; "" means that the
// message is never superseded.
func kindOf(a league.Announced) string {
	if strings.HasPrefix(a.What, "unplayed") || strings.HasPrefix(a.What, "told") {
		return ""
	}
	return a.What
}

// dueReassigned announces each match that has a new referee to its two players.
func (b *broadcaster) dueReassigned(s *league.State) (due []func()) {
	for _, match := range s.Reassigned() {
		a := match.Attempt()
		if match.Outcome != nil {
			continue
		}
		for _, id := range []string{match.A, match.B} {
			if b.tasks.recordAnnouncement(a, id) {
				news := b.announcement(s, match.Round, []*league.Match{match}, nil)
				due = append(due, func() { b.tellAgain(id, a.Key(), news) })
			}
		}
	}
	return due
}

// tellAgain announces a match again to a player, which otherwise rejects it as unknown, such as one with a new referee.
func (b *broadcaster) tellAgain(id, what string, news *protocol.RoundAnnouncement) {
	b.out.Post(&outbox.Parcel{Label: what, Message: func(string) protocol.Message { n := *news; return &n },
		Tried: func(id string, acknowledged bool) {
			if acknowledged {
				b.tasks.recordAcknowledgment(id, news.Matches[0])
			}
		}}, id)
}

// tellUnplayed sends players the result of matches that they won because their opponents had left. Such a match has
// no referee to announce it.
func (b *broadcaster) tellUnplayed(
	s *league.State, round int, tell func(league.Announced, func() []string, func() broadcast),
) {
	for _, match := range s.Walkovers(round) {
		winner := func() []string { return []string{match.Outcome.Result.Winner} }
		tell(league.Announced{What: "unplayed " + match.ID, Round: round}, winner,
			func() broadcast { return b.unplayedNews(s, match) })
	}
}

// unplayedNews returns the GAME_OVER for the winner of a match whose opponent had left. The manager sends it, since
// no referee had the match.
func (b *broadcaster) unplayedNews(s *league.State, match *league.Match) broadcast {
	r := match.Outcome.Result
	winner, loser := r.Winner, match.A
	if loser == winner {
		loser = match.B
	}
	null := json.RawMessage("null")
	over := protocol.GameOver{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeGameOver, ConversationID: "conv-" + strings.ToLower(match.ID) + "-unplayed",
			LeagueID: b.opts.LeagueID, RoundID: protocol.Round(match.Round), MatchID: match.ID,
		},
		GameType: s.Created.GameType, PlayerID: winner, OpponentID: loser, Result: protocol.Win, Winner: &winner,
		YourChoice: null, OpponentChoice: null, PointsEarned: r.Points(winner, s.Created.Scoring),
		Attempt: max(match.Attempt().Attempt, 1),
		GameResult: protocol.GameResult{
			Status: r.Status, WinnerPlayerID: &winner, Choices: map[string]json.RawMessage{winner: null, loser: null},
			Forfeits: r.Forfeits, Reason: loser + " has left the league; the match was not played",
		},
	}
	over.Score, over.Details = over.GameResult.Choices, over.GameResult.Ending(match.A)
	return broadcast{to: func(string) protocol.Message { n := over; return &n }}
}
