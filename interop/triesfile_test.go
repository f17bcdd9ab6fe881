package interop_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// triesHead tells what the figures of the file are.
const triesHead = `# How many calls each known kind gets until it understands a message, that call included; 0: it never does.
# Of a player, in this order: ROUND_ANNOUNCEMENT, GAME_INVITATION, CHOOSE_PARITY_CALL, GAME_OVER, LEAGUE_STANDINGS_UPDATE.
# Of a manager, a player's registration. Of a referee, its first match. No figure may grow.
`

// compareTries complains of every figure that has grown, and writes down those that have not.
func compareTries(t *testing.T, before, now map[string][]int) {
	better := maps.Clone(before)
	for name, tries := range now {
		known, ok := before[name]
		switch {
		case !ok && !*update:
			t.Errorf("%s is not in %s; run with -update", name, triesFile)
		case !ok:
			better[name] = tries
		case len(known) != len(tries):
			t.Errorf("%s: got %v, want as many figures as in %v", name, tries, known)
		default:
			better[name] = fewer(t, name, known, tries)
		}
	}
	if *update && !t.Failed() {
		writeTries(t, better)
	}
}

// fewer returns the lower of each two figures, and complains where the new one is the higher.
func fewer(t *testing.T, name string, known, tries []int) []int {
	out := slices.Clone(known)
	for i, n := range tries {
		if n > known[i] || n == 0 {
			t.Errorf("%s: got %v tries, want no more than %v", name, tries, known)
		} else {
			out[i] = n
		}
	}
	return out
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
