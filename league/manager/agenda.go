package manager

import (
	"time"

	"agentleague/league"
)

// An agenda is an index of the matches in the open round that wait for their referee, so that a change of one match
// needs no scan of all matches. Each full scan rebuilds the index; between scans it is updated incrementally.
type agenda struct {
	referees map[string]*desk
	counted  map[string]*desk // by match: the ordered ones without a result, each with the desk whose load includes it
	due      []league.MatchAssigned
	fresh    []league.MatchAssigned // reused buffer
}

// A desk holds the waiting matches and the load of one referee in an agenda.
type desk struct {
	referee string
	load    int                    // matches that it has been ordered to play
	waiting []league.MatchAssigned // whose players acknowledged the announcement, in the order of play
	begun   int                    // of those, how many wait no longer
}

// reset empties the agenda before the conductor's next scan. It keeps the allocated slices and maps, because scans are
// frequent.
func (g *agenda) reset() {
	if g.referees == nil {
		g.referees, g.counted = map[string]*desk{}, map[string]*desk{}
	}
	for _, k := range g.referees {
		k.load, k.waiting, k.begun = 0, k.waiting[:0], 0
	}
	clear(g.counted)
}

// of returns the desk of the referee with that id, and creates it if it is missing.
func (g *agenda) of(referee string) *desk {
	k := g.referees[referee]
	if k == nil {
		k = &desk{referee: referee}
		g.referees[referee] = k
	}
	return k
}

// count adds an ordered match to the load of its referee.
func (g *agenda) count(a league.MatchAssigned) {
	k := g.of(a.Referee)
	k.load++
	g.counted[a.Match] = k
}

// dueMatches scans all open matches and returns the jobs that send START_MATCH for those with informed players and a
// referee with capacity. It rebuilds the agenda.
func (d *dispatcher) dueMatches(s *league.State) (due []func()) {
	d.agenda.reset()
	d.agenda.fresh = d.tasks.takeFresh(d.agenda.fresh[:0]) // the scan below covers them
	grace := league.NoShowLeft(s, d.clockOf(s))
	announced := grace == 0 && s.Announced[league.Announced{What: "round", Round: s.Round}]
	var unheard []league.MatchAssigned
	var touched []*desk
	for _, match := range s.Open() {
		a := match.Attempt()
		if ref := s.Agents[a.Referee]; ref == nil || !ref.Live() {
			continue
		}
		now := d.tasks.of(match)
		switch {
		case now.ordered:
			d.agenda.count(a)
			if !now.accepted {
				d.agenda.due = append(d.agenda.due, a)
			}
		case now.known || a.Attempt == 1 && announced:
			k := d.agenda.of(a.Referee)
			if len(k.waiting) == 0 {
				touched = append(touched, k)
			}
			k.waiting = append(k.waiting, a)
		case !now.awaited:
			unheard = append(unheard, a)
		}
	}
	for _, k := range touched {
		d.orderWaiting(s, k)
	}
	if len(unheard) > 0 {
		d.tasks.await(unheard)
		due = append(due, func() { d.running.Go(func() { d.awaitHeard(unheard, max(grace, announceTimeout)) }) })
	}
	return due
}

// dueSince updates the agenda without a full scan. It handles the matches in recorded, which have got a result, and the
// announcements that players have acknowledged since. The state s may already include later changes.
func (d *dispatcher) dueSince(s *league.State, recorded []string) {
	for _, id := range recorded {
		if k := d.agenda.counted[id]; k != nil && s.Matches[id].Outcome != nil {
			delete(d.agenda.counted, id)
			k.load--
			d.orderWaiting(s, k)
		}
	}
	d.agenda.fresh = d.tasks.takeFresh(d.agenda.fresh[:0])
	for _, a := range d.agenda.fresh {
		k := d.agenda.of(a.Referee)
		k.waiting = append(k.waiting, a)
		d.orderWaiting(s, k)
	}
}

// orderWaiting moves waiting matches of a referee to the due list, up to the referee's capacity.
func (d *dispatcher) orderWaiting(s *league.State, k *desk) {
	ref := s.Agents[k.referee]
	if ref == nil || !ref.Live() || s.Paused || d.drain.isOn() {
		return
	}
	for ; k.begun < len(k.waiting) && k.load < ref.Room(); k.begun++ {
		a := k.waiting[k.begun]
		match := s.Matches[a.Match]
		if match == nil || match.Outcome != nil || match.Attempt() != a ||
			d.tasks.order(a).ordered || !d.tasks.markOrdered(a) {
			continue
		}
		d.agenda.count(a)
		d.agenda.due = append(d.agenda.due, a)
	}
}

// startDue starts a background job for each due match, which orders it from its referee.
func (d *dispatcher) startDue() {
	for _, a := range d.agenda.due {
		d.start(job{"play", a}, func() (settled bool) {
			d.order(a)
			return d.tasks.order(a).accepted
		})
	}
	d.agenda.due = d.agenda.due[:0]
}

// awaitHeard waits for the players of attempts to acknowledge their announcement. Then the matches are due anyway.
func (d *dispatcher) awaitHeard(attempts []league.MatchAssigned, wait time.Duration) {
	if d.Node.Sleep(d.ctx, "announcement of "+attempts[0].Key(), wait) == nil {
		d.tasks.waitedFor(attempts)
		d.kick()
	}
}
