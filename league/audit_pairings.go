package league

import (
	"slices"

	"agentleague/format"
	"agentleague/protocol"
)

// The audit derives each pairing again from the log before it. Pairings that depend on random draws are checked at the
// end of the log, where the league reveals the secret of the draws.

// A pendingCheck is a check of a log entry that waits for the secret of the league's draws.
type pendingCheck struct {
	line  int
	check func(draw func(what string) uint64) (field string, want, got any, same bool)
}

// derive runs check at once if it needs no draws, or otherwise when the secret of the draws is known.
func (a *Audit) derive(check func(draw func(what string) uint64) (field string, want, got any, same bool)) {
	drawn := false
	field, want, got, same := check(func(string) uint64 { drawn = true; return 0 })
	if drawn {
		a.pending = append(a.pending, pendingCheck{a.Lines, check})
	} else if !same {
		a.find(a.Lines, field, want, got)
	}
}

// settlePairings runs the checks that waited for the secret of the draws.
func (a *Audit) settlePairings() {
	draw := drawsOf(a.State.Created.LeagueID, a.State.DrawSecret)
	for _, p := range a.pending {
		if field, want, got, same := p.check(draw); !same {
			a.find(p.line, field, want, got)
		}
	}
}

// checkPairing derives the pairings of a round from the log before it, and compares them with the event.
func (a *Audit) checkPairing(e RoundPaired) {
	s := a.State
	if s.rules == nil || e.Round != s.Round+1 {
		return // the fold refuses it
	}
	a.checkRatings(e)
	if seasonOver(s, a.now) && len(s.again) == 0 {
		a.find(a.Lines, "round "+show(e.Round), "the end of the season", "another round")
	}
	f, rules := fieldBefore(s, e.Round, e.Ratings), *s.rules
	next := s.format().Next
	field := "round " + show(e.Round)
	a.derive(func(draw func(string) uint64) (string, any, any, bool) {
		own := f
		own.Draw = draw
		round, more := next(rules, own)
		want := pairedAs(own, round)
		return field, want.normal(), e.normal(), more && want.same(e)
	})
}

// checkRatings compares the ratings in a pairing event with those that follow from the results. A difference that
// another processor's rounding explains is no finding.
func (a *Audit) checkRatings(e RoundPaired) {
	want := LadderRatings(a.State)
	near := func(x, y int) bool { return x-y <= 1 && y-x <= 1 }
	for id, r := range want {
		got, rated := e.Ratings[id]
		if !rated || !near(r[0], got[0]) || !near(r[1], got[1]) {
			a.find(a.Lines, id+".rating", r, got)
		}
	}
	if len(e.Ratings) != len(want) {
		a.find(a.Lines, "ratings", len(want), len(e.Ratings))
	}
}

// checkEnd checks that no round follows the end of a league.
func (a *Audit) checkEnd() {
	s := a.State
	if s.rules == nil || !s.Started() || seasonOver(s, a.now) {
		return
	}
	f, rules, next := fieldBefore(s, s.Round+1, LadderRatings(s)), *s.rules, s.format().Next
	a.derive(func(draw func(string) uint64) (string, any, any, bool) {
		own := f
		own.Draw = draw
		_, more := next(rules, own)
		return "state", "another round", "the end of the league", !more
	})
}

// checkJoined checks the event with which a player joins the running league.
func (a *Audit) checkJoined(e playerJoined) {
	if a.State.rules == nil {
		return
	}
	if err := joinable(a.State, a.State.rules); err != nil {
		a.says(e.ID, "it joined the running league: %v", err)
	}
	if want := missedWorth(a.State, a.State.rules); e.Missed != want {
		a.find(a.Lines, e.ID+".missed", want, e.Missed)
	}
}

// checkSeeds derives the seeds of the initial players from the log, and compares them with the event.
func (a *Audit) checkSeeds(e Started) {
	s := a.State
	if s.rules == nil || slices.ContainsFunc(e.Players, func(id string) bool { return s.Agents[id] == nil }) {
		return
	}
	a.derive(func(draw func(string) uint64) (string, any, any, bool) {
		want, got := seedsOf(s, e, draw), e.Seeds
		if len(got) == 0 {
			got = e.Players
		}
		return "seeds", want, got, slices.Equal(want, got)
	})
}

// checkSchedule checks that the settings of the pairings in the log are valid.
func (a *Audit) checkSchedule(rules *format.Settings) {
	if rules == nil {
		return
	}
	if err := rules.Check(); err != nil {
		a.says("schedule", "%v", err)
	} else if full := rules.Filled(a.State.Created.SeatMatters); full != *rules {
		a.find(a.Lines, "schedule", full, *rules)
	}
}

// joins reports whether then, the later events of a log entry, include that player id joins the running league.
func joins(then []Event, id string) bool {
	return slices.ContainsFunc(then, func(e Event) bool { j, ok := e.(playerJoined); return ok && j.ID == id })
}

// awaitsPlace reports whether a registration is of a player that is not yet part of the running league, and does not
// join it in the same entry either.
func awaitsPlace(s *State, e Registered, then []Event) bool {
	return e.Role == protocol.RolePlayer && s.Started() && !joins(then, e.ID)
}
