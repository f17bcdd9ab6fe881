package manager

import (
	"sync"

	"agentleague/league"
	"agentleague/protocol"
)

// matchTasks tracks the open matches since the manager was started: the acknowledged announcements and the orders to
// referees. It is not in the log; after a crash it is rebuilt, and native referees get their orders again.
type matchTasks struct {
	mu        sync.Mutex
	kept      map[league.MatchAssigned]bool // attempts that no referee will be asked to play: a player has left
	inherited map[league.MatchAssigned]bool // attempts that the manager before may have asked for
	round     int                           // which the rest is about
	roundTasks
}

// roundTasks is the part of matchTasks that belongs to the current round.
type roundTasks struct {
	heard    map[hearing]bool              // players that acknowledged the announcement of an attempt
	told     map[hearing]bool              // players that were sent the announcement of a further attempt
	waited   map[league.MatchAssigned]bool // attempts whose players' time to acknowledge is over
	ordered  map[league.MatchAssigned]bool // attempts that their referee is asked to play
	accepted map[league.MatchAssigned]bool // attempts that their referee accepted
	refused  map[league.MatchAssigned]bool // attempts that their referee refused
	awaited  map[league.MatchAssigned]bool // attempts whose players still have time to acknowledge
	fresh    []league.MatchAssigned        // attempts that both players have acknowledged since the last takeFresh
}

// A hearing is the map key for the acknowledgement of an announced attempt by a player.
type hearing struct {
	league.MatchAssigned
	player string
}

// A task is the progress of the order to play a match.
type task struct {
	ordered, accepted bool
	known             bool // acknowledged by its players, or their time is over; set only if not ordered
	awaited           bool // or they have that time now
}

// newMatchTasks returns the tasks of a manager that has just started.
func newMatchTasks() *matchTasks {
	return &matchTasks{
		kept: map[league.MatchAssigned]bool{}, inherited: map[league.MatchAssigned]bool{}, roundTasks: newRoundTasks(),
	}
}

// newRoundTasks returns the empty tasks of a round.
func newRoundTasks() roundTasks {
	return roundTasks{
		heard: map[hearing]bool{}, told: map[hearing]bool{}, waited: map[league.MatchAssigned]bool{},
		ordered: map[league.MatchAssigned]bool{}, accepted: map[league.MatchAssigned]bool{},
		refused: map[league.MatchAssigned]bool{}, awaited: map[league.MatchAssigned]bool{},
	}
}

// enter discards the tasks of the previous round if round is a new one.
func (t *matchTasks) enter(round int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.round != round {
		t.round = round
		t.forget()
	}
}

// forget empties the tasks of a round. It keeps the maps allocated: the next round has the same number of matches.
func (r *roundTasks) forget() {
	clear(r.heard)
	clear(r.told)
	for _, m := range []map[league.MatchAssigned]bool{r.waited, r.ordered, r.accepted, r.refused, r.awaited} {
		clear(m)
	}
	r.fresh = r.fresh[:0]
}

// of returns the progress of the order for the current attempt at a match.
func (t *matchTasks) of(match *league.Match) (out task) {
	a := match.Attempt()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ordered[a] {
		return task{ordered: true, accepted: t.accepted[a]}
	}
	return task{known: t.waited[a] || t.heard[hearing{a, match.A}] && t.heard[hearing{a, match.B}], awaited: t.awaited[a]}
}

// markOrdered marks an attempt as ordered and returns true, unless the attempt is withheld. From then on the report of
// the referee counts, even if a player leaves.
func (t *matchTasks) markOrdered(a league.MatchAssigned) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ordered[a] = !t.kept[a]
	return t.ordered[a]
}

// withhold withholds an attempt, so that it is never ordered. It returns false if the attempt was or may have been
// ordered already.
func (t *matchTasks) withhold(a league.MatchAssigned) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept[a] = !t.ordered[a] && !t.inherited[a]
	return t.kept[a]
}

// releaseWithheld releases all withheld attempts, because the events that withheld them were not written.
func (t *matchTasks) releaseWithheld() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.kept)
}

// inherit records the attempts that were open at a takeover. They count as ordered, since the previous manager may have
// ordered them.
func (t *matchTasks) inherit(s *league.State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, match := range s.Open() {
		t.inherited[match.Attempt()] = true
	}
}

// order returns whether an attempt is ordered from its referee, and whether that has accepted or refused it.
func (t *matchTasks) order(a league.MatchAssigned) (out struct{ ordered, accepted, refused bool }) {
	t.mu.Lock()
	defer t.mu.Unlock()
	out.ordered, out.accepted, out.refused = t.ordered[a], t.accepted[a], t.refused[a]
	return out
}

// setAccepted records whether the referee of an attempt has accepted it; if not, it is ordered again.
func (t *matchTasks) setAccepted(a league.MatchAssigned, yes bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.accepted[a] = yes
}

// setRefused records that the referee of an attempt refused the order.
func (t *matchTasks) setRefused(a league.MatchAssigned) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused[a] = true
}

// await records that the time for the players of attempts to acknowledge has begun.
func (t *matchTasks) await(attempts []league.MatchAssigned) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range attempts {
		t.awaited[a] = true
	}
}

// waitedFor records that the time for the acknowledgements of attempts is over. It ignores attempts that were ordered
// already or belong to an earlier round.
func (t *matchTasks) waitedFor(attempts []league.MatchAssigned) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range attempts {
		if t.awaited[a] && !t.ordered[a] {
			t.waited[a] = true
		}
	}
}

// recordAnnouncement records that the announcement of a repeated attempt is sent to a player. It reports whether this
// is the first time.
func (t *matchTasks) recordAnnouncement(a league.MatchAssigned, player string) (first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	first = !t.told[hearing{a, player}]
	t.told[hearing{a, player}] = true
	return first
}

// recordAcknowledgment records that a player has acknowledged the announcement of a match. It ignores a player that
// does not play in the match.
func (t *matchTasks) recordAcknowledgment(id string, m protocol.AnnouncedMatch) {
	if id != m.PlayerAID && id != m.PlayerBID {
		return
	}
	at := league.MatchAssigned{Match: m.MatchID, Referee: m.RefereeID, Attempt: m.Attempt}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard[hearing{at, id}] = true
	if t.heard[hearing{at, m.PlayerAID}] && t.heard[hearing{at, m.PlayerBID}] && !t.ordered[at] {
		t.fresh = append(t.fresh, at)
	}
}

// hasHeard reports whether a player has acknowledged the announcement of an attempt.
func (t *matchTasks) hasHeard(a league.MatchAssigned, player string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.heard[hearing{a, player}]
}

// takeFresh appends to buf the attempts that both players have acknowledged since the last call.
func (t *matchTasks) takeFresh(buf []league.MatchAssigned) []league.MatchAssigned {
	t.mu.Lock()
	defer t.mu.Unlock()
	buf = append(buf, t.fresh...)
	t.fresh = t.fresh[:0]
	return buf
}
