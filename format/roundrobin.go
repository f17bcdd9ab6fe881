package format

// roundRobin lets each pair of players meet once, or in each leg once. The initial field plays a ring: the first
// player has a fixed place, and the others rotate by one place each round.
type roundRobin struct{}

func (roundRobin) Name() string { return "round_robin/1" }

func (roundRobin) Waits() bool { return false }

func (roundRobin) Rank(Settings, Field) []Place { return nil }

func (roundRobin) Check(s Settings) error { return check(s, "gauntlet", "knockout", "ladder") }

func (f roundRobin) meetings(h *history) meetings {
	all := h.initialPlayers()
	return meetings{
		h: h, rounds: f.length(h), wanted: func(i, j int) bool { return true },
		plan: func(round int) (pairs []pair) {
			for _, p := range ringRound(len(all), round-1) {
				pairs = append(pairs, pair{all[p[0]], all[p[1]]})
			}
			return pairs
		},
	}.withParts()
}

func (roundRobin) length(h *history) int {
	n := h.initial()
	if n < 2 {
		return 0
	}
	return h.limited((n - 1 + n%2) * h.Legs)
}

// initialPlayers lists the players of the initial field.
func (h *history) initialPlayers() (all []int) {
	for i, p := range h.players {
		if p.Joined <= 1 {
			all = append(all, i)
		}
	}
	return all
}

// ringRound returns the pairs of n places in a round, counted from 0. With an odd n, the place n is empty.
func ringRound(n, round int) (pairs []pair) {
	size := (n + 1) / 2 * 2
	ring := max(size-1, 1)
	turn, second := round%ring, round/ring%2 == 1
	at := func(k int) int { return 1 + (k+turn)%ring }
	for k := range size / 2 {
		p := pair{at(k), at(ring - k)}
		if k == 0 {
			p[0], p[1] = 0, at(0)
		}
		if (k == 0 && turn%2 == 1) != second {
			p[0], p[1] = p[1], p[0]
		}
		if max(p[0], p[1]) < n {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

func (f roundRobin) Horizon(s Settings, field Field) (rounds int, known bool) {
	return f.meetings(newHistory(s, field)).horizon()
}

func (f roundRobin) Joinable(s Settings, field Field) error {
	h := newHistory(s, field)
	return h.joinable(f.length(h), 1)
}

func (f roundRobin) Next(s Settings, field Field) (Round, bool) {
	h := newHistory(s, field)
	pairs, more := f.meetings(h).next()
	if !more {
		return Round{}, false
	}
	return h.round(pairs, h.unpaired(pairs)), true
}

// unpaired lists the available players without an opponent.
func (h *history) unpaired(pairs []pair) (byes []int) {
	busy := make([]bool, len(h.players))
	for _, p := range pairs {
		busy[p[0]], busy[p[1]] = true, true
	}
	for _, i := range h.available() {
		if !busy[i] {
			byes = append(byes, i)
		}
	}
	return byes
}

func (f roundRobin) Explain(s Settings, field Field, r Round) []Reason {
	return f.meetings(newHistory(s, field)).explain(r)
}
