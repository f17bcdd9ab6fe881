package manager

import (
	"sync"

	"agentleague/league"
	"agentleague/protocol"
)

// matchTasks is what a manager has done about the open matches since it was started: who was told of them, and which
// referees were asked for them. None of it is in the log; after a crash it is found out again.
type matchTasks struct {
	mu        sync.Mutex
	kept      map[league.MatchAssigned]bool // attempts that no referee will be asked to play: a player has left
	inherited map[league.MatchAssigned]bool // attempts that the manager before may have asked for
	round     int                           // which the rest is about
	roundTasks
}

// roundTasks are what has been done about the matches of a round.
type roundTasks struct {
	heard    map[hearing]bool              // players that acknowledged the announcement of an attempt
	told     map[hearing]bool              // players that were sent the announcement of a further attempt
	waited   map[league.MatchAssigned]bool // attempts whose players had time enough to acknowledge
	ordered  map[league.MatchAssigned]bool // attempts that their referee is asked to play
	accepted map[league.MatchAssigned]bool // attempts whose referee said yes
	refused  map[league.MatchAssigned]bool // attempts whose referee said no
	awaited  map[league.MatchAssigned]bool // attempts whose players have their time to acknowledge
	fresh    []league.MatchAssigned        // attempts whose players have both acknowledged, since somebody looked
}

// A hearing is a player's knowledge of an attempt.
type hearing struct {
	league.MatchAssigned
	player string
}

// A task is how far the order to play a match is.
type task struct {
	ordered, accepted bool
	known             bool // its players know of it, or had time enough; asked only of one that was not ordered
	awaited           bool // or they have that time now
}

// newMatchTasks makes the tasks of a manager that has just started and knows only what the log tells.
func newMatchTasks() *matchTasks {
	return &matchTasks{
		kept: map[league.MatchAssigned]bool{}, inherited: map[league.MatchAssigned]bool{}, roundTasks: newRoundTasks(),
	}
}

// newRoundTasks makes the part that is thrown away when a round closes.
func newRoundTasks() roundTasks {
	return roundTasks{
		heard: map[hearing]bool{}, told: map[hearing]bool{}, waited: map[league.MatchAssigned]bool{},
		ordered: map[league.MatchAssigned]bool{}, accepted: map[league.MatchAssigned]bool{},
		refused: map[league.MatchAssigned]bool{}, awaited: map[league.MatchAssigned]bool{},
	}
}

// enter forgets about the matches of the round before.
func (t *matchTasks) enter(round int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.round != round {
		t.round = round
		t.forget()
	}
}

// forget empties the tasks of a round. The maps keep their room: the next round has as many matches.
func (r *roundTasks) forget() {
	clear(r.heard)
	clear(r.told)
	for _, m := range []map[league.MatchAssigned]bool{r.waited, r.ordered, r.accepted, r.refused, r.awaited} {
		clear(m)
	}
	r.fresh = r.fresh[:0]
}

// of returns how far the order to play a match is.
func (t *matchTasks) of(match *league.Match) (out task) {
	a := match.Attempt()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ordered[a] {
		return task{ordered: true, accepted: t.accepted[a]}
	}
	return task{known: t.waited[a] || t.heard[hearing{a, match.A}] && t.heard[hearing{a, match.B}], awaited: t.awaited[a]}
}

// letGo hands an attempt to its referee, unless it has been kept back. From
// then on its result is the referee's affair, whoever leaves the league.
func (t *matchTasks) letGo(a league.MatchAssigned) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ordered[a] = !t.kept[a]
	return t.ordered[a]
}

// keepBack makes sure that no referee plays an attempt, unless one may do so already.
func (t *matchTasks) keepBack(a league.MatchAssigned) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept[a] = !t.ordered[a] && !t.inherited[a]
	return t.kept[a]
}

// keepNone forgets which attempts are kept back: what that was decided for has not come to pass.
func (t *matchTasks) keepNone() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.kept)
}

// inherit notes the attempts that are open when a manager takes the league over.
// Whether their referees have been asked for them nobody remembers.
func (t *matchTasks) inherit(s *league.State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, match := range s.Open() {
		t.inherited[match.Attempt()] = true
	}
}

// out reports whether the referee of an attempt is asked to play it.
func (t *matchTasks) out(a league.MatchAssigned) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ordered[a]
}

// taken reports whether the referee of an attempt has said yes to it.
func (t *matchTasks) taken(a league.MatchAssigned) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.accepted[a]
}

// take notes that the referee of an attempt has said yes to it, or else that it has to be asked again.
func (t *matchTasks) take(a league.MatchAssigned, yes bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.accepted[a] = yes
}

// refuse notes that the referee of an attempt said no when it was told of it.
func (t *matchTasks) refuse(a league.MatchAssigned) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused[a] = true
}

// wasRefused reports whether the referee of an attempt said no when it was told of it.
func (t *matchTasks) wasRefused(a league.MatchAssigned) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refused[a]
}

// await notes that the players of attempts have their time to acknowledge.
func (t *matchTasks) await(attempts []league.MatchAssigned) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range attempts {
		t.awaited[a] = true
	}
}

// waitedFor notes that the players of attempts had time enough to acknowledge them. Those that are ordered, or of a
// round that is over, need no note.
func (t *matchTasks) waitedFor(attempts []league.MatchAssigned) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range attempts {
		if t.awaited[a] && !t.ordered[a] {
			t.waited[a] = true
		}
	}
}

// tell notes that a player is sent the announcement of a further attempt, and reports whether this is the first time.
func (t *matchTasks) tell(a league.MatchAssigned, player string) (first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	first = !t.told[hearing{a, player}]
	t.told[hearing{a, player}] = true
	return first
}

// hear notes that a player has acknowledged the announcement of a match.
func (t *matchTasks) hear(id string, m protocol.AnnouncedMatch) {
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

// takeFresh appends to buf the attempts whose players have both acknowledged them since it was called last.
func (t *matchTasks) takeFresh(buf []league.MatchAssigned) []league.MatchAssigned {
	t.mu.Lock()
	defer t.mu.Unlock()
	buf = append(buf, t.fresh...)
	t.fresh = t.fresh[:0]
	return buf
}
