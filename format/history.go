package format

import (
	"cmp"
	"slices"
)

// A history is a field with the matches of each player. Players are numbered by seed, from 0.
type history struct {
	Settings
	Field
	players []Player // by seed
	index   map[string]int
	met     [][]meeting // of each player, in the order of the rounds
	firsts  []int       // how much more often each player sat first than second
	byes    []int       // rounds in which each player had a bye, or won without a match
}

// A meeting is a match of a player, or a bye.
type meeting struct {
	with     int // -1: a bye
	round    int
	score    int // 2 for a win, 1 for a draw
	first    bool
	unplayed bool
}

const nobody = -1

// newHistory indexes a field for a format with these settings.
func newHistory(s Settings, f Field) *history {
	f.Round = max(f.Round, 1)
	h := &history{Settings: s.clamped(), Field: f, players: f.sorted()}
	n := len(h.players)
	h.index = make(map[string]int, n)
	h.met, h.firsts, h.byes = make([][]meeting, n), make([]int, n), make([]int, n)
	for i, p := range h.players {
		h.index[p.ID] = i
	}
	h.addAll(f.Results)
	for _, met := range h.met {
		slices.SortStableFunc(met, func(a, b meeting) int { return cmp.Or(cmp.Compare(a.round, b.round), a.with-b.with) })
	}
	return h
}

// A numbered is a match of two players by number, or with nobody as b a bye.
type numbered struct {
	a, b int
	*Played
}

// addAll adds matches and byes. It ignores those of the round to pair and of unknown players.
func (h *history) addAll(results []Played) {
	known := make([]numbered, 0, len(results))
	counts := make([]int, len(h.players))
	for k := range results {
		m, ok := h.numbered(&results[k])
		if !ok {
			continue
		}
		known = append(known, m)
		counts[m.a]++
		if m.b != nobody {
			counts[m.b]++
		}
	}
	all := make([]meeting, 2*len(known)) // of all players
	for i, n := range counts {
		h.met[i], all = all[:0:n], all[n:]
	}
	for _, m := range known {
		h.add(m)
	}
}

// numbered returns a match with the numbers of its players.
func (h *history) numbered(r *Played) (m numbered, ok bool) {
	a, known := h.index[r.A]
	if !known || r.Round < 1 || r.Round >= h.Round {
		return m, false
	}
	if r.B == "" {
		return numbered{a, nobody, r}, true
	}
	b, known := h.index[r.B]
	return numbered{a, b, r}, known && a != b
}

// add adds a match or a bye.
func (h *history) add(m numbered) {
	if m.b == nobody {
		h.met[m.a] = append(h.met[m.a], meeting{with: nobody, round: m.Round})
		h.byes[m.a]++
		return
	}
	h.met[m.a] = append(h.met[m.a], meeting{m.b, m.Round, score(m.Played, m.A), true, m.Unplayed})
	h.met[m.b] = append(h.met[m.b], meeting{m.a, m.Round, score(m.Played, m.B), false, m.Unplayed})
	h.firsts[m.a]++
	h.firsts[m.b]--
	switch {
	case !m.Unplayed:
	case m.Winner == m.A:
		h.byes[m.a]++
	case m.Winner == m.B:
		h.byes[m.b]++
	}
}

// score returns 2 if the player won the match, 1 for a draw.
func score(r *Played, id string) int {
	switch {
	case r.Winner == id:
		return 2
	case r.Winner == "" && !r.Unplayed:
		return 1
	}
	return 0
}

// lastMet returns the newest round before a round in which two players played each other, or 0. Forfeits do not count.
func (h *history) lastMet(i, j, before int) int {
	for k := len(h.met[i]) - 1; k >= 0; k-- {
		if m := h.met[i][k]; m.with == j && !m.unplayed && m.round < before {
			return m.round
		}
	}
	return 0
}

// in returns the meeting of a player in a round.
func (h *history) in(i, round int) (meeting, bool) {
	k, found := slices.BinarySearchFunc(h.met[i], round, func(m meeting, round int) int {
		return cmp.Compare(m.round, round)
	})
	if !found {
		return meeting{with: nobody}, false
	}
	return h.met[i][k], true
}

// available returns the players that can play the round, by seed.
func (h *history) available() (all []int) {
	for i, p := range h.players {
		if p.here(h.Round) && !p.Resting {
			all = append(all, i)
		}
	}
	return all
}

// alone reports whether less than two players are left in the league.
func (h *history) alone() bool {
	left := 0
	for _, p := range h.players {
		if p.here(h.Round) {
			left++
		}
	}
	return left < 2
}

// initial returns the number of players of the initial field.
func (h *history) initial() (n int) {
	for _, p := range h.players {
		if p.Joined <= 1 {
			n++
		}
	}
	return n
}

// A pair is two players in the order of their seats.
type pair [2]int

// seated returns a pair in the order of seats that balances first and second seats.
func (h *history) seated(i, j int) pair {
	if c := cmp.Or(h.firsts[i]-h.firsts[j], h.lastSeat(i)-h.lastSeat(j)); c != 0 {
		if c > 0 {
			return pair{j, i}
		}
		return pair{i, j}
	}
	if low := min(i, j); low%2 == 1 { // alternately the better and the worse seed
		return pair{max(i, j), low}
	}
	return pair{min(i, j), max(i, j)}
}

// lastSeat returns 1 if the player sat first in its newest match, -1 for second, and 0 without a match.
func (h *history) lastSeat(i int) int {
	for k := len(h.met[i]) - 1; k >= 0; k-- {
		switch m := h.met[i][k]; {
		case m.with == nobody:
		case m.first:
			return 1
		default:
			return -1
		}
	}
	return 0
}

// round returns a round with these pairs and byes. All other players of the league rest.
func (h *history) round(pairs []pair, byes []int) Round {
	r := Round{Pairs: make([]Pairing, 0, len(pairs))}
	busy := make([]bool, len(h.players))
	for _, p := range pairs {
		r.Pairs = append(r.Pairs, Pairing{h.players[p[0]].ID, h.players[p[1]].ID})
		busy[p[0]], busy[p[1]] = true, true
	}
	for _, i := range byes {
		r.Byes = append(r.Byes, h.players[i].ID)
		busy[i] = true
	}
	for i, p := range h.players {
		if !busy[i] && p.here(h.Round) {
			r.Resting = append(r.Resting, p.ID)
		}
	}
	return r
}

// reasons explains the pairs and byes of a round. why adds the parts that depend on the format.
func (h *history) reasons(r Round, why func(*Reason, pair)) (all []Reason) {
	for _, p := range r.Pairs {
		i, known := h.index[p.A]
		j, both := h.index[p.B]
		reason := Reason{Pairing: p}
		if known && both {
			reason.Points = [2]int{h.players[i].Points, h.players[j].Points}
			why(&reason, pair{i, j})
		}
		all = append(all, reason)
	}
	for _, id := range r.Byes {
		reason := Reason{Pairing: Pairing{A: id}, Why: Unpaired}
		if i, known := h.index[id]; known {
			reason.Points[0] = h.players[i].Points
		}
		all = append(all, reason)
	}
	return all
}
