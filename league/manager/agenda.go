package manager

import (
	"time"

	"agentleague/league"
)

// An agenda is the conductor's index of the matches of a round that wait for a referee, so that a change of one match
// does not need a scan of all. Each full scan rebuilds it; incremental updates keep it current in between.
type agenda struct {
	referees map[string]*desk
	counted  map[string]*desk // by match: the ordered ones without a result, each with the desk whose load includes it
	due      []league.MatchAssigned
	fresh    []league.MatchAssigned // reused buffer
}

// A desk is one referee's part of an agenda.
type desk struct {
	referee string
	load    int                    // matches that it has been ordered to play
	waiting []league.MatchAssigned // whose players acknowledged the announcement, in the order of play
	begun   int                    // of those, how many wait no longer
}

// reset empties the agenda before the conductor scans again. It keeps the memory of the last scan, since one follows
// every change.
func (g *agenda) reset() {
	if g.referees == nil {
		g.referees, g.counted = map[string]*desk{}, map[string]*desk{}
	}
	for _, k := range g.referees {
		k.load, k.waiting, k.begun = 0, k.waiting[:0], 0
	}
	clear(g.counted)
}

// of returns a referee's desk.
func (g *agenda) of(referee string) *desk {
	k := g.referees[referee]
	if k == nil {
		k = &desk{referee: referee}
		g.referees[referee] = k
	}
	return k
}

// count adds an ordered match to its referee's load.
func (g *agenda) count(a league.MatchAssigned) {
	k := g.of(a.Referee)
	k.load++
	g.counted[a.Match] = k
}

// dueMatches orders the announced matches whose referee has capacity, after a scan of all open ones.
func (d *dispatcher) dueMatches(s *league.State) (due []func()) {
	d.agenda.reset()
	d.agenda.fresh = d.tasks.takeFresh(d.agenda.fresh[:0]) // the scan below covers them
	announced := s.Announced[league.Announced{What: "round", Round: s.Round}]
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
		d.letGo(s, k)
	}
	if len(unheard) > 0 {
		d.tasks.await(unheard)
		due = append(due, func() { d.running.Go(func() { d.awaitHeard(unheard) }) })
	}
	return due
}

// dueSince orders matches after a few changes: some got a result, and some announcements were acknowledged. The state
// has any later changes.
func (d *dispatcher) dueSince(s *league.State, recorded []string) {
	for _, id := range recorded {
		if k := d.agenda.counted[id]; k != nil && s.Matches[id].Outcome != nil {
			delete(d.agenda.counted, id)
			k.load--
			d.letGo(s, k)
		}
	}
	d.agenda.fresh = d.tasks.takeFresh(d.agenda.fresh[:0])
	for _, a := range d.agenda.fresh {
		k := d.agenda.of(a.Referee)
		k.waiting = append(k.waiting, a)
		d.letGo(s, k)
	}
}

// letGo orders waiting matches from a referee, up to its capacity.
func (d *dispatcher) letGo(s *league.State, k *desk) {
	ref := s.Agents[k.referee]
	if ref == nil || !ref.Live() || s.Paused || d.drain.isOn() {
		return
	}
	for ; k.begun < len(k.waiting) && k.load < ref.Room(); k.begun++ {
		a := k.waiting[k.begun]
		match := s.Matches[a.Match]
		if match == nil || match.Outcome != nil || match.Attempt() != a || d.tasks.out(a) || !d.tasks.letGo(a) {
			continue
		}
		d.agenda.count(a)
		d.agenda.due = append(d.agenda.due, a)
	}
}

// startDue orders the due matches from their referees, in the background.
func (d *dispatcher) startDue() {
	for _, a := range d.agenda.due {
		d.start(job{"play", a}, func() (settled bool) {
			d.order(a)
			return d.tasks.taken(a)
		})
	}
	d.agenda.due = d.agenda.due[:0]
}

// awaitHeard gives the players of attempts ten seconds to acknowledge their announcement.
func (d *dispatcher) awaitHeard(attempts []league.MatchAssigned) {
	if d.Node.Sleep(d.ctx, "announcement of "+attempts[0].Key(), 10*time.Second) == nil {
		d.tasks.waitedFor(attempts)
		d.kick()
	}
}
