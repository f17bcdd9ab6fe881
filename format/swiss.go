package format

import (
	"cmp"
	"math/bits"
	"slices"
)

// swiss pairs players with nearly equal points that have not met. The best pairing is, compared in this order: the
// fewest rematches, and of these the oldest; no repeated bye; the least sum of squared distances of score groups; in
// pairings of one leg, balanced seats; in each score group, the top half against the bottom half.
type swiss struct{}

func (swiss) Name() string { return "swiss/1" }

func (swiss) Waits() bool { return true }

func (swiss) Rank(Settings, Field) []Place { return nil }

func (swiss) Check(s Settings) error {
	return check(s, "gauntlet", "knockout", "ladder")
}

// pairings returns the number of pairings of each player, without their legs.
func (h *history) pairings() int {
	if h.Rounds > 0 {
		return h.Rounds
	}
	n := h.initial()
	if n < 2 {
		return 0
	}
	return min(bits.Len(uint(n-1))+2, n-1+n%2) // more than that would need rematches
}

func (swiss) length(h *history) int { return h.pairings() * h.Legs }

func (f swiss) Horizon(s Settings, field Field) (rounds int, known bool) {
	return f.length(newHistory(s, field)), true
}

func (swiss) Joinable(s Settings, field Field) error {
	h := newHistory(s, field)
	return h.joinable(h.pairings(), h.Legs)
}

func (f swiss) Next(s Settings, field Field) (Round, bool) {
	h := newHistory(s, field)
	if h.Round > f.length(h) || h.alone() {
		return Round{}, false
	}
	var r Round
	if leg := (h.Round-1)%h.Legs + 1; leg > 1 {
		r = h.round(h.nextLeg())
	} else {
		r = h.round(newSwissRound(h).pairs())
	}
	if h.Legs > 1 {
		r.Stage, r.Leg, r.OfLegs = (h.Round-1)/h.Legs+1, (h.Round-1)%h.Legs+1, h.Legs
	}
	return r, true
}

// nextLeg returns the pairs of the round before with swapped seats. A player with a bye, or without its opponent, has a
// bye. Players that were not there rest until the next pairing.
func (h *history) nextLeg() (pairs []pair, byes []int) {
	free := make([]bool, len(h.players))
	all := h.byPoints(h.available())
	for _, i := range all {
		free[i] = true
	}
	for _, i := range all {
		if m, _ := h.in(i, h.Round-1); m.first && free[i] && free[m.with] {
			pairs = append(pairs, pair{m.with, i})
			free[i], free[m.with] = false, false
		}
	}
	for _, i := range all {
		if _, was := h.in(i, h.Round-1); was && free[i] {
			byes = append(byes, i)
		}
	}
	return pairs, byes
}

// byPoints orders players by points and seed.
func (h *history) byPoints(players []int) []int {
	slices.SortFunc(players, func(i, j int) int {
		return cmp.Or(cmp.Compare(h.players[j].Points, h.players[i].Points), i-j)
	})
	return players
}

func (swiss) Explain(s Settings, field Field, r Round) []Reason {
	h := newHistory(s, field)
	leg := (h.Round - 1) % h.Legs
	return h.reasons(r, func(reason *Reason, p pair) {
		switch {
		case leg > 0:
			reason.Why = NextLeg
		case reason.Points[0] == reason.Points[1]:
			reason.Why = ScoreGroup
		default:
			reason.Why = Floated
		}
		reason.Rematch = h.lastMet(p[0], p[1], h.Round-leg)
	})
}
