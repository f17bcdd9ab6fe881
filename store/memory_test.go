package store

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/player"
)

// Only the first write in a league checks for witnesses of other leagues, and no witness is lost: not when the player
// restarts, and not when its league changes.
func TestAMemorySetsAsideTheWitnessesOfOtherLeagues(t *testing.T) {
	root, err := Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	write := func(m *Memory, id, seal string, round int) {
		m.seen = &player.Witness{Seal: seal, PlayerID: id, Heads: []player.Head{{What: player.HeadRound, Round: round}}}
		m.write()
	}
	m := NewMemory(root, "L", "Ada", slog.New(slog.DiscardHandler))
	write(m, "P01", "aaaa", 1)
	write(m, "P01", "aaaa", 2)
	m = NewMemory(root, "L", "Ada", slog.New(slog.DiscardHandler)) // it is started again
	write(m, "P02", "bbbb", 3)
	write(m, "P01", "bbbb", 4) // the same league under another id
	write(m, "P01", "bbbb", 5)
	write(m, "P01", "cccc", 6)
	for name, want := range map[string]string{
		"P01/witness-aaaa.json": `"round": 2`, "P01/witness-bbbb.json": `"round": 5`, "P01/witness.json": `"round": 6`,
		"P02/witness.json": `"round": 3`,
	} {
		got, err := os.ReadFile(filepath.Join(root.Dir(), "data/players/L", name))
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: got %s, %v; want %s in it", name, got, err, want)
		}
	}
}
