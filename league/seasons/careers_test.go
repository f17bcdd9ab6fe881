package seasons

import (
	"testing"
	"time"

	"agentleague/league"
)

func TestCareersGoOnFromLeagueToLeague(t *testing.T) {
	names := map[string]string{"key 1": "player 1", "name 2": "player 2", "name 3": "player 3"}
	bouts := []league.Observation{{A: "key 1", B: "name 2", Points: 1, Games: 1}, {A: "name 3", B: "key 1", Games: 1}, {A: "name 2", B: "name 3", Points: 1, Games: 2}}
	var periods []Period
	for n := range 3 { // the order is that of their ends, not that of the list
		periods = append(periods, Period{LeagueID: string(rune('a' + n)), GameType: "even_odd", Over: time.Unix(int64(100-n), 0),
			names: names, observations: bouts})
	}
	other := periods[0]
	other.GameType = "another"
	got := Careers(append(periods, other, PeriodOf(league.NewState())))
	if len(got) != 2 || got[0].GameType != "another" || got[0].Leagues != 1 || got[1].Leagues != 3 {
		t.Fatalf("got %+v", got)
	}
	best := got[1].Players[0]
	if best.DisplayName != "player 1" || best.Leagues != 3 || best.Matches != 6 || best.Last != "a" || best.Rating < 1600 {
		t.Errorf("got %+v", best)
	}
	once := got[0].Players[0]
	if once.Deviation <= best.Deviation || best.Low >= best.Rating || best.High <= best.Rating {
		t.Errorf("after one league %+v, after three %+v", once, best)
	}
}
