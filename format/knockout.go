package format

import (
	"cmp"
	"errors"
	"slices"
)

// knockout eliminates the loser of each tie. All ties of a stage start together, and the next stage starts when all are
// decided. A player cannot ask for a rest.
type knockout struct{}

func (knockout) Name() string { return "knockout/1" }

func (knockout) Waits() bool { return true }

func (knockout) Check(s Settings) error {
	return check(s, "rounds", "legs", "bye", "late", "gauntlet", "ladder", "withdrawal")
}

func (knockout) Joinable(_ Settings, field Field) error {
	if field.Round > 1 {
		return errors.New("the bracket of a knockout is fixed at its start: no player may join later")
	}
	return nil
}

// Horizon is exact if no tie can end early or continue.
func (knockout) Horizon(s Settings, field Field) (rounds int, known bool) {
	h := newHistory(s, field)
	b := newBracket(h)
	if b.over {
		return b.start - 1, true
	}
	legs := h.Knockout.BestOf + h.Knockout.Extra
	return b.start - 1 + (b.stages-b.stage+1)*legs, legs <= 2 && h.Knockout.Extra == 0
}

func (knockout) Next(s Settings, field Field) (Round, bool) {
	h := newHistory(s, field)
	b := newBracket(h)
	if b.over {
		return Round{}, false
	}
	r := Round{Pairs: []Pairing{}, Stage: b.stage}
	for _, t := range b.ties {
		switch {
		case !t.decided:
			p := b.seats(t)
			r.Pairs = append(r.Pairs, Pairing{h.players[p[0]].ID, h.players[p[1]].ID})
			r.Leg, r.OfLegs = t.legs+1, b.legsOf(&t)
		case !b.present(t.winner, h.Round):
		case h.Round == b.start:
			r.Byes = append(r.Byes, h.players[t.winner].ID)
		default:
			r.Resting = append(r.Resting, h.players[t.winner].ID)
		}
	}
	return r, true
}

// seats returns a tie's players in the order of seats, which they swap after each leg.
func (b *bracket) seats(t tie) pair {
	i, j := t.players[0], t.players[1]
	if t.legs == 0 {
		return b.h.seated(i, j)
	}
	for k := len(b.h.met[i]) - 1; k >= 0; k-- {
		if m := b.h.met[i][k]; m.with == j && m.first {
			return pair{j, i}
		} else if m.with == j {
			break
		}
	}
	return pair{i, j}
}

// Rank gives the first place to all players that may still win.
func (knockout) Rank(s Settings, field Field) []Place {
	h := newHistory(s, field)
	b := newBracket(h)
	places := b.out
	placed := map[string]bool{}
	for _, p := range places {
		placed[p.ID] = true
	}
	for _, i := range b.slots {
		if i != nobody {
			places = append(places, Place{h.players[i].ID, 1})
			placed[h.players[i].ID] = true
		}
	}
	for _, p := range h.players {
		if !placed[p.ID] { // never in the bracket
			places = append(places, Place{p.ID, len(h.players)})
		}
	}
	slices.SortFunc(places, func(a, b Place) int { return cmp.Or(a.Place-b.Place, h.index[a.ID]-h.index[b.ID]) })
	return places
}

func (knockout) Explain(s Settings, field Field, r Round) []Reason {
	h := newHistory(s, field)
	b := newBracket(h)
	return h.reasons(r, func(reason *Reason, p pair) {
		for _, t := range b.ties {
			if t.players == p || t.players == (pair{p[1], p[0]}) {
				reason.Slot, reason.Why = t.slot, b.why(t)
			}
		}
	})
}

// why returns the reason of a leg.
func (b *bracket) why(t tie) string {
	switch {
	case t.legs >= b.h.Knockout.BestOf:
		return ExtraLeg
	case t.legs > 0:
		return NextLeg
	case t.third:
		return ThirdPlace
	}
	return Bracket
}
