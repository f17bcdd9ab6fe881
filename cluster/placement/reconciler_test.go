package placement

import (
	"log/slog"
	"testing"

	"agentleague/cluster"
	"agentleague/engine/sim"
)

// A manager that was killed and restarted at once has the address of the member that still owns its leagues.
func TestARestartedManagerTakesItsLeaguesOver(t *testing.T) {
	t.Parallel()
	const address = "http://127.0.0.1:8000"
	disk := sim.New(1)
	member, err := cluster.Join(t.Context(), disk.Open(sim.Options{}), cluster.Options{Name: "m_new", Address: address})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	c := &reconciler{member: member, logger: slog.New(slog.DiscardHandler), owners: map[string]owner{},
		say: func(line string) { said = append(said, line) }}
	c.owners["spring"] = owner{"m_killed", address}
	if c.noteOwner(cluster.League{ID: "spring", Owner: "m_killed"}) || len(said) > 0 {
		t.Errorf("while the other member has it: got %q", said)
	}
	if !c.noteOwner(cluster.League{ID: "spring", Owner: "m_new"}) || len(said) != 1 {
		t.Errorf("got %q, want that the league is opened here", said)
	}
}
