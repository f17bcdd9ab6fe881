package league

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"agentleague/format"
	"agentleague/league/ladder"
	"agentleague/protocol"
)

// Other leagues than those with a fixed round robin decide one round after the other with package format: each round is
// in the log as a [RoundPaired], which the audit derives again.

// pairedRounds is the schedule of a league that pairs round by round: the rounds so far. It is immutable.
type pairedRounds []RoundPaired

// Rounds returns the number of rounds that were paired.
func (p pairedRounds) Rounds() int { return len(p) }

// Round lists the pairings of a round that was paired.
func (p pairedRounds) Round(round int) []Pairing {
	if round < 1 || round > len(p) {
		return nil
	}
	return p[round-1].Pairs
}

// Match returns the n-th match of a round.
func (p pairedRounds) Match(round, n int) (Pairing, bool) {
	pairs := p.Round(round)
	if n < 1 || n > len(pairs) {
		return Pairing{}, false
	}
	return pairs[n-1], true
}

// Byes lists the players with a bye in a round.
func (p pairedRounds) Byes(round int) []string {
	if round < 1 || round > len(p) {
		return nil
	}
	return p[round-1].Byes
}

func (p pairedRounds) meetings(rounds playedRounds, _ []level) iter.Seq[Played] { return rounds.all() }

// An entry is a player's part in a league that decides its pairings round by round. It is immutable.
type entry struct {
	seed, rating int
	deviation    int // of the rating, if a ladder continues with it; 0: unknown
	from         int // the first round that it may play
	left         int // the first round that it cannot play any more; 0: it has not left
	rests        int // the last round of its requested rest
	credits      []credit
}

// A credit is the points for a bye in a round, or for the rounds that a player missed before it joined.
type credit struct{ round, points int }

// pairing is the part of the state that only leagues of log schema 3 use. In a fixed round robin rules is nil.
type pairing struct {
	rules   *format.Settings // nil: the ring
	entries map[string]entry
	ladder  ladder.Ratings // after the closed rounds; nil in another format
	initial ladder.Ratings // before their first round
}

func (p pairing) clone() pairing { return pairing{p.rules, maps.Clone(p.entries), p.ladder, p.initial} }

// format returns the format of a league of schema 3.
func (p pairing) format() format.Format {
	f, _ := format.ByName(p.rules.Format) // checked when the rules were set
	return f
}

// CreditOf returns the points of a player for byes and missed rounds, up to a round.
func (p pairing) CreditOf(id string, round int) (points int) {
	for _, c := range p.entries[id].credits {
		if c.round <= round {
			points += c.points
		}
	}
	return points
}

func (p pairing) addCredit(id string, c credit) {
	if e := p.entries[id]; c.points != 0 {
		e.credits = append(slices.Clip(e.credits), c)
		p.entries[id] = e
	}
}

// byeWorth returns the points for a bye or a missed round that the setting word, such as win or draw, stands for.
func byeWorth(word string, scoring protocol.Scoring) int {
	switch word {
	case "win":
		return scoring.Win
	case "draw", "half":
		return scoring.Draw
	}
	return 0
}

// setRules sets the pairing rules of a league of log schema 3: at its start, or when a fixed round robin ends, whose
// opened rounds stay.
func (r *rounds) setRules(schema int, rules *format.Settings) error {
	if (rules != nil) != (schema >= FormatSchema) {
		return fmt.Errorf("a log of schema %d: a schedule is a member of schema %d", schema, FormatSchema)
	}
	if rules == nil {
		return nil
	}
	if f, ok := format.ByName(rules.Format); !ok || f.Name() != rules.Format {
		return fmt.Errorf("the format %q is unknown: %w", Clip(rules.Format), ErrNewer)
	}
	var opened pairedRounds
	for round := 1; round <= r.Round; round++ {
		opened = append(opened, RoundPaired{Round: round, Pairs: r.Schedule.Round(round), Byes: r.Schedule.Byes(round)})
	}
	r.Schedule, r.rules, r.entries = opened, rules, map[string]entry{}
	return r.enter(r.field, nil, nil)
}

// enter enters the initial players, in the order of their seeds.
func (r *rounds) enter(seeds []string, ratings, deviations map[string]int) error {
	for i, id := range seeds {
		if !slices.Contains(r.field, id) || r.entries[id].seed > 0 {
			return fmt.Errorf("the seed %d is %q, which is no player or has another seed", i+1, id)
		}
		r.entries[id] = entry{seed: i + 1, from: 1, rating: ratings[id], deviation: deviations[id]}
	}
	if len(seeds) != len(r.field) {
		return fmt.Errorf("%d of %d players have a seed", len(seeds), len(r.field))
	}
	return nil
}

// pair adds the pairings of the next round. Each player may occur once and must belong to the league. Matches of
// players that have left are not played.
func (r *rounds) pair(e RoundPaired, agents map[string]*Agent) error {
	opened, paired := r.Schedule.(pairedRounds)
	if !paired || r.RoundOpen || e.Round != r.Round+1 || e.Round != len(opened)+1 {
		return fmt.Errorf("round %d was paired after round %d", e.Round, r.Round)
	}
	seen := map[string]bool{}
	for id := range e.players() {
		if r.entries[id].seed == 0 || seen[id] {
			return fmt.Errorf("round %d: %q is no player, or is there twice", e.Round, Clip(id))
		}
		seen[id] = true
	}
	for id, one := range r.entries {
		if gone := agents[id].State == protocol.AgentShutdown; gone != (one.left > 0) && (gone || r.takesBack()) {
			one.left = 0
			if gone {
				one.left = e.Round
			}
			r.entries[id] = one
		}
	}
	for _, id := range e.Byes {
		r.addCredit(id, credit{e.Round, byeWorth(r.rules.Bye, r.scoring)})
	}
	r.Schedule = append(opened, e) // a clone has no room in common
	return nil
}

// takesBack reports whether a player that was absent when a round was paired may play again. A bracket has gone on
// without it.
func (p pairing) takesBack() bool { return p.rules.Format != "knockout/1" }

// join takes a registered player into the running league.
func (r *rounds) join(e playerJoined, agents map[string]*Agent) error {
	a := agents[e.ID]
	switch {
	case r.rules == nil || a == nil || a.Role != protocol.RolePlayer || slices.Contains(r.field, e.ID):
		return fmt.Errorf("%q joined late, which is no new player, or the format admits none", Clip(e.ID))
	case e.From != r.Round+1 || e.Missed < 0:
		return fmt.Errorf("%s joined from round %d on, after round %d", e.ID, e.From, r.Round)
	}
	r.field = append(slices.Clip(r.field), e.ID)
	r.entries[e.ID] = entry{seed: len(r.field), from: e.From, rating: e.Rating, deviation: e.Deviation}
	if r.ladder != nil {
		anchor := r.rules.Ladder.Anchors && a.Hosted()
		r.initial = r.initial.With(e.ID, e.Rating, e.Deviation, anchor)
		r.ladder = r.ladder.With(e.ID, e.Rating, e.Deviation, anchor)
	}
	r.addCredit(e.ID, credit{e.From - 1, e.Missed})
	return nil
}

// rest excludes a player from the next rounds, on request.
func (r *rounds) rest(e playerRested) error {
	one, plays := r.entries[e.ID]
	if r.rules == nil || !plays || e.Rounds < 0 {
		return fmt.Errorf("%q rests for %d rounds, which is no player, or the format allows no rest", Clip(e.ID), e.Rounds)
	}
	one.rests = r.Round + e.Rounds
	r.entries[e.ID] = one
	return nil
}

// PlayedOn reports whether a player of a match has been paired in a later stage of a bracket, which would become
// invalid if match m was annulled.
func PlayedOn(s *State, m *Match) bool {
	opened, _ := s.Schedule.(pairedRounds)
	if len(opened) == 0 || s.takesBack() {
		return false
	}
	for _, e := range opened[m.Round-1:] {
		for id := range e.players() {
			if e.Stage > opened[m.Round-1].Stage && (id == m.A || id == m.B) && !slices.Contains(e.Resting, id) {
				return true
			}
		}
	}
	return false
}
