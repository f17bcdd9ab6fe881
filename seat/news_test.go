package seat

import (
	"testing"

	"agentleague/protocol"
)

func TestWhoSharesTheFirstPlaceIsNamed(t *testing.T) {
	t.Parallel()
	over := func(others ...protocol.Champion) *protocol.LeagueCompleted {
		return &protocol.LeagueCompleted{
			Champion: protocol.Champion{PlayerID: "P01", DisplayName: "Ada", Points: 7}, CoChampions: others,
			FinalStandings: []protocol.Standing{{PlayerID: "P02", Rank: 2, Points: 7}},
		}
	}
	for want, m := range map[string]*protocol.LeagueCompleted{
		`The league is over; "Ada" (P01) won with 7 points; you finished number 2 of 1 with 7 points.`: over(),
		`The league is over; "Ada" (P01) and "Bob" (P02) won with 7 points; you finished number 2 of 1 with 7 points.`: over(
			protocol.Champion{PlayerID: "P02", DisplayName: "Bob", Points: 7}),
		`The league is over; "Ada" (P01), "Bob" (P02) and "Eve" (P03) won with 7 points; you finished number 2 of 1 with 7 points.`: over(
			protocol.Champion{PlayerID: "P02", DisplayName: "Bob", Points: 7}, protocol.Champion{PlayerID: "P03", DisplayName: "Eve", Points: 7}),
	} {
		if got := Final(m, "P02").Text; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
