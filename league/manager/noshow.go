package manager

import (
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// absentRetry is the interval at which a match is announced again to a player that did not acknowledge it.
const absentRetry = 5 * time.Second

// dueAbsent announces the matches of the open round again to absent players, while the calendar lets the round wait for
// them. A player that acknowledges plays at once.
func (b *broadcaster) dueAbsent(s *league.State) (due []func()) {
	if league.NoShowLeft(s, b.clockOf(s)) == 0 || !s.Announced[league.Announced{What: "round", Round: s.Round}] {
		return nil
	}
	for _, match := range s.InRound(s.Round) {
		a := match.Attempt()
		for _, id := range []string{match.A, match.B} {
			if match.Outcome != nil || a.Attempt != 1 || b.tasks.order(a).ordered || b.tasks.hasHeard(a, id) {
				continue
			}
			news := b.announcement(s, s.Round, []*league.Match{match}, nil)
			due = append(due, func() { b.once("absent "+id, func() { b.announceAgain(id, news) }) })
		}
	}
	return due
}

// announceAgain waits, and then announces a match again.
func (b *broadcaster) announceAgain(id string, news *protocol.RoundAnnouncement) {
	if b.Node.Sleep(b.ctx, "absent "+id, absentRetry) == nil && b.out.Waiting(id) == 0 {
		b.tellAgain(id, "announce again", news)
	}
}
