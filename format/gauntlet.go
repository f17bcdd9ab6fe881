package format

// gauntlet lets the first seeds meet all other players, which do not meet each other.
type gauntlet struct{}

func (gauntlet) Name() string { return "gauntlet/1" }

func (gauntlet) Waits() bool { return false }

func (gauntlet) Rank(Settings, Field) []Place { return nil }

func (gauntlet) Check(s Settings) error { return check(s, "bye", "knockout", "ladder") }

func (f gauntlet) meetings(h *history) meetings {
	all := h.initialPlayers()
	k := h.challengers(len(all))
	challenger := make([]bool, len(h.players))
	for _, i := range all[:k] {
		challenger[i] = true
	}
	return meetings{
		h: h, rounds: f.length(h),
		wanted: func(i, j int) bool { return challenger[i] != challenger[j] },
		plan:   func(round int) []pair { return gauntletRound(all[:k], all[k:], round-1) },
	}.withParts()
}

// challengers returns the number of challengers of n initial players: at least one other player is left.
func (h *history) challengers(n int) int { return max(min(h.Gauntlet.Challengers, n-1), 0) }

func (gauntlet) length(h *history) int {
	n := h.initial()
	k := h.challengers(n)
	if k == 0 {
		return 0
	}
	return h.limited(max(k, n-k) * h.Legs)
}

// gauntletRound returns the pairs of a round, counted from 0: the larger side rotates past the smaller.
func gauntletRound(few, many []int, round int) (pairs []pair) {
	if len(few) > len(many) {
		few, many = many, few
	}
	if len(few) == 0 {
		return nil
	}
	turn, cycle := round%len(many), round/len(many)
	for i, a := range few {
		p := pair{a, many[(i+turn)%len(many)]}
		if (turn+cycle)%2 == 1 {
			p[0], p[1] = p[1], p[0]
		}
		pairs = append(pairs, p)
	}
	return pairs
}

func (f gauntlet) Horizon(s Settings, field Field) (rounds int, known bool) {
	return f.meetings(newHistory(s, field)).horizon()
}

func (f gauntlet) Joinable(s Settings, field Field) error {
	h := newHistory(s, field)
	return h.joinable(f.length(h), 1)
}

// Next has no byes: most players rest in most rounds.
func (f gauntlet) Next(s Settings, field Field) (Round, bool) {
	h := newHistory(s, field)
	pairs, more := f.meetings(h).next()
	if !more {
		return Round{}, false
	}
	return h.round(pairs, nil), true
}

func (f gauntlet) Explain(s Settings, field Field, r Round) []Reason {
	return f.meetings(newHistory(s, field)).explain(r)
}
