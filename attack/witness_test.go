package attack_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// perjurers are players that show a false witness of a league that is over, to have it doubted. The file is named, and
// the league is not.
func perjurers() family {
	made := strings.Repeat("0", 64)
	lies := func(want string, change func(a *arena, w *player.Witness)) func(a *arena) answer {
		return func(a *arena) answer {
			w := a.witness("Beta")
			change(a, &w)
			text, _ := json.Marshal(w)
			file := filepath.Join(a.t.TempDir(), "witness.json")
			if err := os.WriteFile(file, text, 0o600); err != nil {
				a.t.Fatal(err)
			}
			said, status := run(a.t, "verify", "--root", a.root, "--witness", file)
			if status != 1 || !strings.Contains(said, file) || !strings.Contains(said, want) {
				a.t.Errorf("verify ends with %d, want 1 and %q of %s:\n%s", status, want, file, said)
			}
			if strings.Contains(said, "journal.jsonl") {
				a.t.Errorf("verify blames the log:\n%s", said)
			}
			return answer{}
		}
	}
	return family{name: "perjurers", lenient: true, attacks: []attack{
		{name: "another head", try: lies("heads[1]", func(_ *arena, w *player.Witness) { w.Heads[1].Head = made })},
		{name: "a head of a round that was not played", try: lies("heads[1]", func(_ *arena, w *player.Witness) { w.Heads[1].Round = 9 })},
		{name: "another league", try: lies("seal", func(_ *arena, w *player.Witness) { w.Seal = made })},
		{name: "a key of its own", try: lies("public_key", func(a *arena, w *player.Witness) { w.PublicKey = newKey(a.t) })},
		{name: "the witness of another player", try: lies("public_key", func(a *arena, w *player.Witness) {
			w.PlayerID = a.idOf("Alpha")
		})},
	}, scene: func(t *testing.T, strict bool) *arena {
		a := newArena(t, strict, settings{})
		a.referee("Referee Alpha")
		a.player("Alpha", 0)
		a.player("Beta", 0)
		a.start()
		a.finish(0)
		return a
	}, after: func(a *arena) {
		file := filepath.Join(a.root, "data", "players", a.idOf("Alpha"), "witness.json")
		if said, status := run(a.t, "verify", "--root", a.root, "--witness", file); status != 0 {
			a.t.Errorf("an honest witness: verify ends with %d:\n%s", status, said)
		}
	}}
}

// witness returns the stored signatures of a player process after it has received the end.
func (a *arena) witness(name string) (w player.Witness) {
	a.t.Helper()
	file := filepath.Join(a.root, "data", "players", a.idOf(name), "witness.json")
	rpctest.Eventually(a.t, "the witness of "+name, func() bool {
		text, err := os.ReadFile(file)
		return err == nil && protocol.StrictUnmarshal(text, &w) == nil && len(w.Heads) == 3
	})
	return w
}
