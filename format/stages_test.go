package format_test

import (
	"fmt"
	"testing"

	"agentleague/format"
)

// In a bracket whose pairs are level and decided by lot, the winners are those that played on, also for a reader that
// cannot draw the lots.
func TestStagesFollowTheLotsOfTheLog(t *testing.T) {
	t.Parallel()
	s := format.Settings{Format: "knockout", Knockout: format.Knockout{Decide: "lot"}}.Filled(false)
	f := format.Field{Round: 1, Draw: func(what string) uint64 { return uint64(len(what) + int(what[len(what)-1])) }}
	for i := range 8 {
		f.Players = append(f.Players, format.Player{ID: fmt.Sprintf("P%02d", i+1), Seed: i + 1, Joined: 1})
	}
	of, _ := format.ByName("knockout")
	for {
		r, more := of.Next(s, f)
		if !more {
			break
		}
		for _, p := range r.Pairs { // all are draws
			f.Results = append(f.Results, format.Played{Round: f.Round, A: p.A, B: p.B})
		}
		f.Round++
	}
	want := format.Stages(s, f)
	f.Draw = nil
	got := format.Stages(s, f)
	upsets := 0
	for k, stage := range want[:2] {
		for i, tie := range stage {
			if got[k][i] != tie || tie.Winner == "" {
				t.Errorf("stage %d: got %+v, want %+v", k+1, got[k][i], tie)
			}
			if tie.Winner == tie.B {
				upsets++
			}
		}
	}
	if final := got[2][0]; final.A != want[2][0].A || final.B != want[2][0].B || upsets == 0 {
		t.Errorf("got the final %+v, want %+v; %d upsets", final, want[2][0], upsets)
	}
	if format.Stages(format.Settings{Format: "swiss"}, f) != nil {
		t.Error("a Swiss league has stages")
	}
}
