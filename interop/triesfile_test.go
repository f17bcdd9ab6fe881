package interop_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// triesHead explains the numbers of the file.
const triesHead = `# How many calls each known kind gets until it understands a message, that call included; 0: it never does.
# Of a player, in this order: ROUND_ANNOUNCEMENT, GAME_INVITATION, CHOOSE_PARITY_CALL, GAME_OVER, LEAGUE_STANDINGS_UPDATE.
# Of a manager, a player's registration. Of a referee, its first match.
# Measured when the kind was first met; no figure may grow, nor the sum of a player's with the calls that hold no message.
`

// compareTries complains of every figure that has grown, and writes down the kinds that are new.
func compareTries(t *testing.T, before, now map[string][]int) {
	all := maps.Clone(before)
	for name, tries := range now {
		known, ok := before[name]
		switch {
		case !ok && !*update:
			t.Errorf("%s is not in %s; run with -update", name, triesFile)
		case !ok:
			all[name] = tries
		case !noneGrown(known, tries):
			t.Errorf("%s: got %v tries, want no more than %v", name, tries, known)
		}
	}
	if *update && !t.Failed() {
		writeTries(t, all)
	}
}

// noneGrown reports whether every message is understood, and after no more tries than before.
func noneGrown(known, tries []int) bool {
	if len(known) != len(tries) {
		return false
	}
	for i, n := range tries {
		if n == 0 || n > known[i] {
			return false
		}
	}
	return true
}

func writeTries(t *testing.T, tries map[string][]int) {
	var b strings.Builder
	b.WriteString(triesHead)
	for _, name := range slices.Sorted(maps.Keys(tries)) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Trim(fmt.Sprint(tries[name]), "[]"))
	}
	if err := os.WriteFile(triesFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
