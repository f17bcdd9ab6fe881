package store_test

import (
	"log/slog"
	"testing"

	"agentleague/store"
)

func TestBrokenRulesAreAddedUpOverObserversAndRuns(t *testing.T) {
	t.Parallel()
	root, err := store.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	rule := store.BrokenRule{Agent: "player:P01", Verified: true, MessageType: "GAME_JOIN_ACK", Rule: "required-member", Member: "accept"}
	claimed := rule
	claimed.Verified = false
	for _, observer := range []string{"REF01", "REF01", "league_manager"} { // the second is REF01 started again
		c := root.NewConformance("L", func() string { return observer }, slog.New(slog.DiscardHandler))
		c.Add(rule, claimed)
		c.Add(rule)
		c.Close()
	}
	early := root.NewConformance("L", func() string { return "" }, slog.New(slog.DiscardHandler))
	early.Add(rule) // it has no id yet
	early.Close()
	got, err := root.BrokenRules("L")
	if err != nil || len(got) != 2 {
		t.Fatalf("got %+v, %v, want two rows", got, err)
	}
	for _, row := range got {
		if want := map[bool]int{true: 6, false: 3}[row.Verified]; row.Count != want || row.First == "" || row.Last < row.First {
			t.Errorf("got %+v, want it counted %d times", row, want)
		}
	}
}
