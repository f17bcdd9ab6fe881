package web

import (
	"reflect"
	"testing"

	"agentleague/league"
	"agentleague/league/view"
)

// The table of a league that no manager runs is exported as its page exports it.
func TestTableIsExportedAlikeWithAndWithoutAManager(t *testing.T) {
	t.Parallel()
	for _, p := range []seasonPlan{
		{id: "waiting", names: hostile}, {id: "running", names: hostile, started: true, rounds: 2, half: true},
		{id: "over", names: agents(4), started: true, rounds: 3},
	} {
		m := seasonOf(t, p)
		var online struct{ Standings []view.Row }
		get(t, siteOf(t, m)+"/leagues/"+p.id+"/export/standings.json", &online)
		var offline []view.Row
		m.Read(func(s *league.State) { offline = view.RowsOf(s, league.RatedTable(s)) })
		for i := range offline {
			offline[i].Moved = false // of the page alone
		}
		if len(offline) == 0 || !reflect.DeepEqual(online.Standings, offline) {
			t.Errorf("%s: got\n%+v from its page and\n%+v from its log", p.id, online.Standings, offline)
		}
	}
}
