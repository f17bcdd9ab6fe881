package manager_test

import (
	"fmt"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
)

// ordered waits until the foreign referee has the match of a round.
func (w *world) ordered(ref *foreigner, match string) {
	w.t.Helper()
	w.await(2*time.Minute, match+" is ordered", func(s *league.State) bool {
		return s.Matches[match] != nil && ref.count("run_match "+match) == 1
	})
}

// numberOf is the number with which a match is recorded, or 0.
func numberOf(s *league.State, match string) int {
	if m := s.Matches[match]; m != nil && m.Outcome != nil && m.Outcome.Result.Drawn != nil {
		return *m.Outcome.Result.Drawn
	}
	return 0
}

// won is a result in which P01 wins by an even number.
func won(number int, more string) string {
	return fmt.Sprintf(`%s"result":{"winner":"P01","drawn_number":%d,"choices":{"P01":"even","P02":"odd"}}`, more, number)
}

// Both matches are between the same two, and this referee calls each of them M1.
func TestReportUnderTheSameIDInEveryRound(t *testing.T) {
	inForeignWorld(t, manager.Options{Cycles: 2}, taken, func(w *world, ref *foreigner) {
		w.ordered(ref, "R1M1")
		for range 2 {
			if got := ref.tells(won(4, `"match_id":"M1",`)); got != "" {
				t.Errorf("M1: got %s", got)
			}
		}
		w.ordered(ref, "R2M1")
		if got := ref.tells(won(4, `"match_id":"M1",`)); got != "" || numberOf(w.state(), "R2M1") != 0 {
			t.Errorf("the report of round 1 once more: got %q, and R2M1 has the number %d", got, numberOf(w.state(), "R2M1"))
		}
		if got := ref.tells(won(8, `"match_id":"M1",`)); got != "" {
			t.Errorf("M1 of round 2: got %s", got)
		}
		if w.finish(time.Minute) && (numberOf(w.state(), "R1M1") != 4 || numberOf(w.state(), "R2M1") != 8) {
			t.Errorf("recorded %d and %d, want 4 and 8", numberOf(w.state(), "R1M1"), numberOf(w.state(), "R2M1"))
		}
	})
}

func TestReportOfAnotherRoundUnderAnIDOfTheReferee(t *testing.T) {
	inForeignWorld(t, manager.Options{Cycles: 2}, taken, func(w *world, ref *foreigner) {
		w.ordered(ref, "R1M1")
		if got := ref.tells(won(2, `"match_id":"game-7","round_id":2,`)); got == "" {
			t.Error("a report of round 2 is taken in round 1")
		}
		if got := ref.tells(won(2, `"match_id":"game-7","round_id":1,`)); got != "" {
			t.Errorf("round 1: got %s", got)
		}
		w.ordered(ref, "R2M1")
		if got := ref.tells(won(6, `"match_id":"game-7","round_id":1,`)); got == "" || numberOf(w.state(), "R2M1") != 0 {
			t.Errorf("another story of round 1: got %q, and R2M1 has the number %d", got, numberOf(w.state(), "R2M1"))
		}
		if got := ref.tells(won(6, `"match_id":"game-8","round_id":"ROUND_2",`)); got != "" {
			t.Errorf("round 2: got %s", got)
		}
		w.finish(time.Minute)
	})
}

func TestReportOfAForeignRefereeNamesPlayersAsTheyAreCalled(t *testing.T) {
	inForeignWorld(t, manager.Options{}, taken, func(w *world, ref *foreigner) {
		w.ordered(ref, "R1M1")
		if got := ref.tells(`"match_id":"M1","result":{"winner":"P09"}`); got == "" {
			t.Error("a winner is taken that nobody knows")
		}
		if got := ref.tells(`"match_id":"M1","result":{"winner":"Agent P02","drawn_number":3,
			"choices":{"Agent P01":"even","Agent P02":"odd"}}`); got != "" {
			t.Errorf("got %s", got)
		}
		if w.finish(time.Minute) && w.state().Matches["R1M1"].Outcome.Result.Winner != "P02" {
			t.Errorf("recorded %+v, want a win of P02", w.state().Matches["R1M1"].Outcome.Result)
		}
	})
}
