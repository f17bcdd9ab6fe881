package format

import "fmt"

// A tie is the meeting of two players in a bracket, of one or more legs.
type tie struct {
	players pair // by seed; nobody for an empty place
	first   int  // the player whose place in the bracket is the upper one
	slot    int  // from 1
	third   bool // for the third place
	legs    int  // played
	lead    int  // of the first player over the second, two for each win
	decided bool
	winner  int // nobody if no player is left
}

// loser returns the player that did not win, or nobody.
func (t tie) loser() int {
	if t.players[0] == t.winner {
		return t.players[1]
	}
	return t.players[0]
}

// A bracket is a knockout up to a round.
//
//	slots 1 8 4 5 2 7 3 6 ─ties─▶ 1 4 2 3 ─ties─▶ 1 2 ─tie─▶ 1
type bracket struct {
	h      *history
	slots  []int // the players of the stage
	stage  int   // from 1
	start  int   // the first round of the stage
	stages int
	ties   []tie   // of the stage
	losers []int   // of the stage before
	past   [][]tie // of the stages before
	out    []Place
	over   bool
}

// newBracket plays the rounds before the field's round again, from their results.
func newBracket(h *history) *bracket {
	b := &bracket{h: h, slots: h.slots(), start: 1}
	for size := len(b.slots); size > 1; size /= 2 {
		b.stages++
	}
	for b.stage = 1; len(b.slots) > 1; b.stage++ {
		b.open()
		round := b.start
		for ; !b.decide(round); round++ {
			if round == h.Round {
				return b
			}
			if b.play(round) == 0 {
				round = h.Round - 1 // no results are missing, so the rounds until then do not exist
			}
		}
		b.advance()
		b.start = round
	}
	b.over = true
	return b
}

// slots returns the initial field in the order of the bracket: the best two seeds meet in the final only, the best four
// in the semi-finals, and so on. Empty places are those of the worst seeds.
func (h *history) slots() []int {
	var field []int
	for _, i := range h.initialPlayers() {
		if !h.players[i].gone(1) {
			field = append(field, i)
		}
	}
	slots := []int{0}
	for len(slots) < len(field) {
		slots = split(slots)
	}
	for k, seed := range slots {
		slots[k] = nobody
		if seed < len(field) {
			slots[k] = field[seed]
		}
	}
	return slots
}

// split makes a pair of each seed of a stage: 1 2 becomes 1 4, 2 3. Seeds count from 0.
func split(seeds []int) (twice []int) {
	for _, s := range seeds {
		twice = append(twice, s, 2*len(seeds)-1-s)
	}
	return twice
}

// open makes the ties of the stage.
func (b *bracket) open() {
	b.ties = nil
	for k := 0; k < len(b.slots); k += 2 {
		b.ties = append(b.ties, newTie(b.slots[k], b.slots[k+1], k/2+1))
	}
	if len(b.slots) == 2 && b.h.Knockout.ThirdPlace && len(b.losers) == 2 {
		t := newTie(b.losers[0], b.losers[1], 2)
		t.third = true
		b.ties = append(b.ties, t)
	}
}

func newTie(a, c, slot int) tie {
	first := a
	if c != nobody && (a == nobody || c < a) {
		a, c = c, a
	}
	return tie{players: pair{a, c}, first: first, slot: slot, winner: nobody}
}

// decide decides the ties that need no match in a round, and reports whether all are decided.
func (b *bracket) decide(round int) (all bool) {
	all = true
	for k := range b.ties {
		t := &b.ties[k]
		if !t.decided {
			b.byLead(t)
		}
		if !t.decided {
			b.byAbsence(t, round)
		}
		all = all && t.decided
	}
	return all
}

// legsOf returns the number of legs of a tie, with the extra ones if it was level after the others.
func (b *bracket) legsOf(t *tie) int {
	legs := b.h.Knockout.BestOf
	if t.legs > legs || t.legs == legs && t.lead == 0 {
		legs += b.h.Knockout.Extra
	}
	return legs
}

// byLead decides a tie whose lead cannot be made up any more, or that is level after its last leg.
func (b *bracket) byLead(t *tie) {
	left := 2 * (b.legsOf(t) - t.legs)
	switch {
	case t.lead > left:
		t.decided, t.winner = true, t.players[0]
	case -t.lead > left:
		t.decided, t.winner = true, t.players[1]
	case left == 0:
		t.decided, t.winner = true, t.players[b.lot(t)]
	}
}

// lot returns the place of the winner of a tie that is level after its last leg: the better seed, or by lot.
func (b *bracket) lot(t *tie) int {
	if b.h.Knockout.Decide != "lot" {
		return 0
	}
	a, c := b.h.players[t.players[0]].ID, b.h.players[t.players[1]].ID
	if b.h.Draw == nil { // unknown to the caller: the winner has played on
		if last := b.h.met[t.players[1]]; len(last) > 0 && last[len(last)-1].round >= b.start+t.legs {
			return 1
		}
		return 0
	}
	return int(b.h.draw(fmt.Sprintf("knockout stage %d: %s or %s", b.stage, a, c)) % 2)
}

// byAbsence decides a tie of which a player left before the round.
func (b *bracket) byAbsence(t *tie, round int) {
	a, c := b.present(t.players[0], round), b.present(t.players[1], round)
	if a && c {
		return
	}
	t.decided = true
	if a {
		t.winner = t.players[0]
	} else if c {
		t.winner = t.players[1]
	}
}

func (b *bracket) present(i, round int) bool { return i != nobody && !b.h.players[i].gone(round) }

// play adds the results of a round to the open ties and returns their number.
func (b *bracket) play(round int) (played int) {
	for k := range b.ties {
		t := &b.ties[k]
		if t.decided {
			continue
		}
		mine, met := b.h.in(t.players[0], round)
		if !met || mine.with != t.players[1] {
			continue
		}
		theirs, _ := b.h.in(t.players[1], round)
		t.legs++
		t.lead += mine.score - theirs.score
		played++
	}
	return played
}

// advance moves the winners to the next stage and gives places to the losers.
func (b *bracket) advance() {
	next := b.slots[:0:0]
	b.past = append(b.past, b.ties)
	b.losers = nil
	for _, t := range b.ties {
		place := len(b.slots)/2 + 1
		if t.third {
			b.third(t)
			continue
		}
		next = append(next, t.winner)
		for _, i := range t.players {
			if i != nobody && i != t.winner {
				b.out = append(b.out, Place{b.h.players[i].ID, place})
			}
		}
		b.losers = append(b.losers, t.loser())
	}
	b.slots = next
}

// third gives the fourth place to the loser of the match for the third place.
func (b *bracket) third(t tie) {
	for k := range b.out {
		if i := t.loser(); t.winner != nobody && i != nobody && b.out[k].ID == b.h.players[i].ID {
			b.out[k].Place = 4
		}
	}
}
