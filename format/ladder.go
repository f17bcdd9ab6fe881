package format

import (
	"cmp"
	"slices"
)

// ladder is a continuous tournament: each round pairs the free players so that the matches tell the most about their
// ratings. Its table is that of the ratings.
type ladder struct{}

func (ladder) Name() string { return "ladder/1" }

func (ladder) Waits() bool { return false }

func (ladder) Check(s Settings) error {
	return check(s, "legs", "bye", "late", "gauntlet", "knockout", "withdrawal")
}

func (ladder) Joinable(s Settings, field Field) error { return nil }

func (ladder) Horizon(s Settings, _ Field) (rounds int, known bool) {
	return s.clamped().Rounds, s.Rounds > 0
}

func (ladder) Next(s Settings, field Field) (Round, bool) {
	h := newHistory(s, recent(field))
	if h.Rounds > 0 && (h.alone() || h.Round > h.Rounds) {
		return Round{}, false
	}
	pairs := newLadderRound(h).pairs()
	return h.round(pairs, h.unpaired(pairs)), true
}

// LadderMemory is the number of rounds before a round on whose results the pairings of a ladder depend. A field needs no
// older ones.
const LadderMemory = 64

// recent returns a field with the results that count.
func recent(f Field) Field {
	f.Results = slices.DeleteFunc(slices.Clone(f.Results), func(r Played) bool { return r.Round < f.Round-LadderMemory })
	return f
}

// Rank orders by a rating that the player has with high probability at least.
func (ladder) Rank(s Settings, field Field) (places []Place) {
	h := newHistory(s, field)
	order := make([]int, len(h.players))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(h.safeRating(j), h.safeRating(i)) })
	for k, i := range order {
		place := k + 1
		if k > 0 && h.safeRating(i) == h.safeRating(order[k-1]) {
			place = places[k-1].Place
		}
		places = append(places, Place{h.players[i].ID, place})
	}
	return places
}

// Bounds of a rating and its deviation.
const (
	maxRating    = 1_000_000
	maxDeviation = 10_000
)

func (h *history) rating(i int) int { return min(max(h.players[i].Rating, -maxRating), maxRating) }

func (h *history) deviation(i int) int { return min(max(h.players[i].Deviation, 1), maxDeviation) }

// safeRating is two deviations below the rating.
func (h *history) safeRating(i int) int { return h.rating(i) - 2*h.deviation(i) }

func (ladder) Explain(s Settings, field Field, r Round) []Reason {
	h := newHistory(s, recent(field))
	l := newLadderRound(h)
	return h.reasons(r, func(reason *Reason, p pair) {
		reason.Why = NearRating
		if l.games[p[0]] < fewGames || l.games[p[1]] < fewGames {
			reason.Why = NewPlayer
		}
		d := h.rating(p[0]) - h.rating(p[1])
		reason.Distance = max(d, -d)
		if last := h.lastMet(p[0], p[1], h.Round); last >= h.Round-l.window {
			reason.Rematch = last
		}
	})
}
