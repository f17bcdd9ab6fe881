package league

import (
	"time"

	"agentleague/format"
	"agentleague/league/ladder"
	"agentleague/protocol"
)

// ratesPairings reports whether the format pairs by current ratings.
func ratesPairings(s *State) bool { return s.rules != nil && s.rules.Format == "ladder/1" }

// LadderRatings returns the rating and deviation of each player; nil if the format does not use them.
func LadderRatings(s *State) map[string][2]int { return ladderRatingsBefore(s, s.Round+1) }

// ladderRatingsBefore returns the ratings by which a round was paired, or the current ones.
func ladderRatingsBefore(s *State, round int) map[string][2]int {
	if !ratesPairings(s) {
		return nil
	}
	if opened, _ := s.Schedule.(pairedRounds); round > 0 && round <= min(len(opened), s.closedRounds()) {
		return opened[round-1].Ratings
	}
	return s.ladder.Rounded()
}

// ladderTable returns the ratings of a ladder for people, with the bounds of two deviations.
func ladderTable(s *State, closed int) Ratings {
	out := Ratings{}
	for id, r := range ladderRatingsBefore(s, closed+1) {
		if n := s.ladder.Games(id); n > 0 {
			out[id] = protocol.Rating{Rating: r[0], Matches: n, Low: new(r[0] - 2*r[1]), High: new(r[0] + 2*r[1])}
		}
	}
	return out
}

// Identity returns the key that identifies an agent across leagues: its public key, or else its name.
func Identity(key, name string) string {
	if key != "" {
		return "key " + key
	}
	return "name " + name
}

// FinalRatings returns the rating and deviation of each player of a ladder by its identity, for the next season; nil for
// another format.
func FinalRatings(s *State) map[string][2]int {
	out := map[string][2]int{}
	for id, r := range LadderRatings(s) {
		out[Identity(s.Agents[id].Key, s.Agents[id].Name)] = r
	}
	return out
}

// rateField rates the initial players of a ladder.
func (r *rounds) rateField(agents map[string]*Agent) {
	for _, id := range r.field {
		e := r.entries[id]
		r.initial = r.initial.With(id, e.rating, e.deviation, r.rules.Ladder.Anchors && agents[id].Hosted())
	}
	r.ladder = r.initial
}

// rateAnew rates all closed rounds again, after a result of one has changed.
func (r *rounds) rateAnew() {
	r.ladder = r.initial
	for round := range r.closedRounds() {
		r.rateRound(round + 1)
	}
}

// rateRound adds the results of a closed round to the ratings of a ladder.
func (r *rounds) rateRound(round int) {
	if r.ladder == nil {
		return
	}
	var games []ladder.Game
	for _, m := range r.byRound[round-1] {
		if points, counts := m.ratedPoints(); counts {
			games = append(games, ladder.Game{A: m.A, B: m.B, Points: points})
		}
	}
	r.ladder = r.ladder.After(games)
}

// ratingsIn returns the ratings of a field as the log has them.
func ratingsIn(f format.Field) map[string][2]int {
	out := make(map[string][2]int, len(f.Players))
	for _, p := range f.Players {
		out[p.ID] = [2]int{p.Rating, p.Deviation}
	}
	return out
}

// seasonOver reports whether a ladder without a number of rounds ends now, and its next season begins.
func seasonOver(s *State, now time.Time) bool {
	if !ratesPairings(s) || s.rules.Rounds > 0 || !s.Started() {
		return false
	}
	l := s.rules.Ladder
	return s.Recorded >= l.Matches || l.Season == "month" && s.calendar.Month(now) != s.calendar.Month(s.StartedAt)
}
