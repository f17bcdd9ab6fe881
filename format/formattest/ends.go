package formattest

import (
	"bytes"
	"errors"
	"fmt"

	"agentleague/format"
)

// checkEnd checks the laws of a whole league.
func (l *league) checkEnd() error {
	if err := errors.Join(l.replays(), l.endsInTime(), l.ranked()); err != nil {
		return err
	}
	switch l.format.Name() {
	case "round_robin/1":
		return l.allMet(func(i, j int) bool { return true })
	case "gauntlet/1":
		k := min(l.settings.Gauntlet.Challengers, l.initial-1)
		return l.allMet(func(i, j int) bool { return (i < k) != (j < k) })
	case "knockout/1":
		return l.oneWinner()
	case "ladder/1":
		return errors.Join(l.waitsAreShort(), l.noEarlyRematch())
	}
	return nil
}

// replays requires that the rounds follow again from the whole log: from the facts that were known before each round,
// among later ones.
func (l *league) replays() error {
	if l.annulled {
		return nil
	}
	for k, f := range l.before {
		if len(l.players) > 32 && k%16 != 0 {
			continue
		}
		late := l.field(f.Round)
		for i := range f.Players {
			p := &late.Players[i]
			if p.Points, p.Resting = f.Players[i].Points, f.Players[i].Resting; f.Players[i].Left > 0 {
				p.Left = f.Players[i].Left // it may have come back later
			}
		}
		r, more := l.format.Next(l.settings, late)
		if got, want := text(r), text(l.rounds[k]); !more || !bytes.Equal(got, want) {
			return fmt.Errorf("round %d from the whole log: got %v %s, want %s", f.Round, more, got, want)
		}
	}
	return nil
}

// endsInTime requires that an undisturbed league has the rounds of its first horizon.
func (l *league) endsInTime() error {
	played := len(l.rounds)
	if l.disturbed || l.bound == 0 || played == l.bound || !l.exact && played < l.bound {
		return nil
	}
	return fmt.Errorf("%d rounds, want %d (known: %v)", played, l.bound, l.exact)
}

// ranked requires a place for each player, or none for all.
func (l *league) ranked() error {
	places := l.format.Rank(l.settings, l.field(len(l.rounds)+1))
	if places == nil {
		return nil
	}
	seen := map[string]bool{}
	for k, p := range places {
		if seen[p.ID] || p.Place < 1 || p.Place > len(l.players) || k > 0 && p.Place < places[k-1].Place {
			return fmt.Errorf("places %v", places)
		}
		seen[p.ID] = true
	}
	if len(places) != len(l.players) {
		return fmt.Errorf("%d places for %d players", len(places), len(l.players))
	}
	return nil
}

// allMet requires that all wanted pairs of players that stayed have met as often as there are legs, and in an
// undisturbed league no other pairs.
func (l *league) allMet(wanted func(i, j int) bool) error {
	met := map[format.Pairing]int{}
	matches := 0
	for _, r := range l.results {
		if r.B != "" {
			met[format.Pairing{A: r.A, B: r.B}]++
			met[format.Pairing{A: r.B, B: r.A}]++
			matches++
		}
	}
	left, want := 0, 0
	for i, p := range l.players {
		if p.Left == 0 {
			left++
		}
		for j, q := range l.players[:i] {
			if wanted(i, j) {
				want += l.settings.Legs
			}
			if got := met[format.Pairing{A: p.ID, B: q.ID}]; p.Left == 0 && q.Left == 0 && wanted(i, j) && got != l.settings.Legs {
				return fmt.Errorf("%s and %s met %d times, want %d", p.ID, q.ID, got, l.settings.Legs)
			}
		}
	}
	if !l.disturbed && matches != want {
		return fmt.Errorf("%d matches, want %d", matches, want)
	}
	return nil
}

// oneWinner requires one winner at most, and in an undisturbed league that each other player lost one tie.
func (l *league) oneWinner() error {
	ties := map[format.Pairing]bool{}
	for _, r := range l.results {
		if r.B != "" && !ties[format.Pairing{A: r.B, B: r.A}] {
			ties[format.Pairing{A: r.A, B: r.B}] = true
		}
	}
	firsts := 0
	for _, p := range l.format.Rank(l.settings, l.field(len(l.rounds)+1)) {
		if p.Place == 1 {
			firsts++
		}
	}
	if firsts > 1 || firsts == 0 && !l.disturbed {
		return fmt.Errorf("%d winners", firsts)
	}
	want := l.initial - 1
	if l.settings.Knockout.ThirdPlace && l.initial > 3 {
		want++
	}
	if !l.disturbed && len(ties) != want {
		return fmt.Errorf("%d ties of %d players, want %d", len(ties), l.initial, want)
	}
	return nil
}

// waitsAreShort requires that no player of an undisturbed ladder has a bye in two rounds in a row.
func (l *league) waitsAreShort() error {
	if l.disturbed {
		return nil
	}
	for k, r := range l.rounds[1:] {
		for _, id := range r.Byes {
			for _, before := range l.rounds[k].Byes {
				if id == before {
					return fmt.Errorf("%s waits in the rounds %d and %d", id, k+1, k+2)
				}
			}
		}
		if len(r.Byes) > 1 {
			return fmt.Errorf("round %d: byes %v", k+2, r.Byes)
		}
	}
	return nil
}

// noEarlyRematch requires that no pair of an undisturbed ladder meets again within eight rounds, or in a small field
// within less than half as many rounds as there are players.
func (l *league) noEarlyRematch() error {
	if l.disturbed {
		return nil
	}
	window := min(8, l.initial/2-1)
	last := map[format.Pairing]int{}
	for k, r := range l.rounds {
		for _, p := range r.Pairs {
			if before, met := last[p]; met && k-before <= window {
				return fmt.Errorf("%v meet in the rounds %d and %d", p, before+1, k+1)
			}
			last[p], last[format.Pairing{A: p.B, B: p.A}] = k, k
		}
	}
	return nil
}
