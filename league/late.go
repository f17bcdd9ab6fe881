package league

import (
	"errors"
	"slices"

	"agentleague/format"
	"agentleague/protocol"
)

// A player that registers after the start joins from the next round on, if the format and the settings admit it. The
// first such player ends a fixed round robin: the log is upgraded to schema 3, and later rounds are paired one by one.

// Scheduling holds the settings by which a manager changes the players of a running league.
type Scheduling struct {
	Settings format.Settings // of the league's configuration
	Version  string          // of the program, for an upgrade of the log
	Commit   string
	RatingOf RatingOf
}

// RatingOf returns a player's rating before the league, or 0. The deviation is that of a rating with which a ladder
// continues, and otherwise 0.
type RatingOf func(Registered) (rating, deviation int)

// errPaired refuses a change of the field of a ring with paired draws.
var errPaired = errors.New("the draws of its matches are paired, so that its schedule cannot change")

// changeable returns the events after which the players of a running league may change: none, or those that end a fixed
// round robin.
func (c Scheduling) changeable(s *State) ([]Event, error) {
	switch {
	case s.rules != nil:
		return nil, nil
	case s.Created.PairedDraws:
		return nil, errPaired
	}
	rules := c.Settings
	rules.Format, rules.Rounds, rules.Legs = "round_robin", s.Created.Rounds, s.Created.Cycles
	if rules.Withdrawal.BeforeHalf == "" { // the results of the ring stand
		rules.Withdrawal.BeforeHalf = "keep"
	}
	rules = rules.Filled(s.Created.SeatMatters)
	if err := rules.Check(); err != nil {
		return nil, err
	}
	return []Event{Upgraded{Schema: FormatSchema, ManagerKey: s.ManagerKey, Version: c.Version, Commit: c.Commit,
		Schedule: &rules}}, nil
}

// Join returns the events that take a registering player into the running league from its next round on: an upgrade of
// the log if needed, the event registered, and the event of joining. The error is the reason for which the player
// cannot join.
func (c Scheduling) Join(s *State, registered Registered) ([]Event, error) {
	before, err := c.changeable(s)
	if err != nil {
		return nil, err
	}
	rules := s.rules
	if len(before) > 0 {
		rules = before[0].(Upgraded).Schedule
	}
	if err := joinable(s, rules); err != nil {
		return nil, err
	}
	joined := playerJoined{ID: registered.ID, From: s.Round + 1, Missed: missedWorth(s, rules)}
	if c.RatingOf != nil && rules.Format == "ladder/1" {
		if r, deviation := c.RatingOf(registered); deviation > 0 {
			joined.Rating, joined.Deviation = r, deviation
		}
	}
	return append(before, registered, joined), nil
}

// MayJoin returns nil if a new player can join the running league, or else an error with the reason.
func (c Scheduling) MayJoin(s *State) error {
	_, err := c.Join(s, Registered{})
	return err
}

// joinable returns an error unless rules let a new player join from the next round on.
func joinable(s *State, rules *format.Settings) error {
	f, _ := format.ByName(rules.Format) // checked with the rules
	return f.Joinable(*rules, bareField(s, s.Round+1, nil))
}

// missedWorth returns the points that a player which joins now gets for the rounds that it missed.
func missedWorth(s *State, rules *format.Settings) int {
	return s.Round * byeWorth(rules.Late.Missed, s.Created.Scoring)
}

// InField reports whether an agent is a player of the started league.
func (s *State) InField(id string) bool { return slices.Contains(s.field, id) }

// RestsUntil returns the last round of a player's requested rest; 0: it has not requested one.
func (s *State) RestsUntil(id string) int { return s.entries[id].rests }

// Rest returns the events with which a player takes no part in the next rounds; 0 ends its rest.
func (c Scheduling) Rest(s *State, id string, rounds int, by string) ([]Event, error) {
	a := s.Agents[id]
	switch {
	case s.Completed():
		return nil, ErrOver()
	case !s.Started():
		return nil, protocol.Errorf(protocol.LeagueNotStarted, "no round is played yet")
	case a == nil || !s.InField(id):
		return nil, protocol.Errorf(protocol.PlayerNotRegistered, "no player %q plays in this league", Clip(id))
	case a.State == protocol.AgentShutdown:
		return nil, protocol.Errorf(protocol.PlayerNotRegistered, "%s is out of the league", id)
	case rounds < 0 || rounds > maxRest:
		return nil, protocol.Errorf(protocol.InvalidMessage, "rounds: want 0 to %d, got %d", maxRest, rounds).With("field", "rounds")
	}
	before, err := c.changeable(s)
	if err != nil {
		return nil, protocol.Errorf(protocol.InvalidMessage, "%s cannot rest: %v", id, err)
	}
	return append(before, playerRested{ID: id, Rounds: rounds, By: by}), nil
}

// maxRest is the maximum number of rounds for which a player can pause by one order.
const maxRest = 1000

// Seeded returns the events of a start with the seeds of the players by the league's settings. secret is that of all
// draws, and rated returns a player's rating before the league.
func Seeded(s *State, events []Event, secret string, rated RatingOf) []Event {
	last := len(events) - 1
	e, ok := events[last].(Started)
	if s.rules == nil || !ok || s.rules.Seeding == "roster" && !ratesPairings(s) {
		return events
	}
	if rated != nil {
		e.Ratings, e.Deviations = map[string]int{}, map[string]int{}
		for _, id := range e.Players {
			r, deviation := rated(s.Agents[id].Registered)
			if s.rules.Seeding == "rating" || deviation > 0 {
				e.Ratings[id] = r
			}
			if ratesPairings(s) && deviation > 0 {
				e.Deviations[id] = deviation
			}
		}
	}
	e.Seeds = seedsOf(s, e, drawsOf(s.Created.LeagueID, secret))
	events[last] = e
	return events
}

// seedsOf returns the initial players in the order of their seeds. draw returns random numbers by label.
func seedsOf(s *State, e Started, draw func(string) uint64) []string {
	f := format.Field{Round: 1, Draw: draw}
	for i, id := range e.Players {
		f.Players = append(f.Players, format.Player{ID: id, Seed: i + 1, Joined: 1, Rating: e.Ratings[id]})
	}
	return format.Seeds(*s.rules, f)
}

// Scheduled returns e, the first event of a league, with the settings c of the pairings: in schema 3 or, if possible,
// as a fixed round robin, which older programs can read.
func Scheduled(e Created, c format.Settings) Created {
	if !needsRounds(c) {
		return e
	}
	c = c.Filled(e.SeatMatters)
	e.Schema, e.Cycles, e.Rounds, e.Schedule = FormatSchema, 0, 0, &c
	if c.Ladder.RestAfter > 0 { // forfeits in a row rest a player of a ladder
		e.MaxForfeits = 0
	}
	return e
}

// needsRounds reports whether a league decides its pairings round by round.
func needsRounds(c format.Settings) bool {
	c.Late, c.Rounds, c.Legs = format.Late{}, 0, 0
	ring := format.Settings{}.Filled(false)
	ring.Withdrawal.BeforeHalf = "keep"
	if c.Withdrawal.BeforeHalf == "" {
		c.Withdrawal.BeforeHalf = "keep"
	}
	return c.Filled(false) != ring
}
