package format

import (
	"cmp"
	"slices"
	"strings"
)

// compareIDs orders ids such as P09, P10 and P100.
func compareIDs(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }

// sorted returns the players by seed, each id once.
func (f Field) sorted() []Player {
	players := slices.Clone(f.Players)
	slices.SortStableFunc(players, func(a, b Player) int {
		return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Joined, b.Joined), compareIDs(a.ID, b.ID))
	})
	seen := make(map[string]bool, len(players))
	return slices.DeleteFunc(players, func(p Player) bool {
		twice := seen[p.ID] || p.ID == ""
		seen[p.ID] = true
		return twice
	})
}

// draw returns the field's number for what, or 0 without a Draw.
func (f Field) draw(what string) uint64 {
	if f.Draw == nil {
		return 0
	}
	return f.Draw(what)
}

// here reports whether the player belongs to the league in a round.
func (p Player) here(round int) bool { return p.Joined <= round && !p.gone(round) }

// gone reports whether the player left before a round.
func (p Player) gone(round int) bool { return p.Left > 0 && p.Left <= round }
