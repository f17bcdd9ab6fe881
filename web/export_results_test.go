package web

import (
	"encoding/csv"
	"strings"
	"testing"

	"agentleague/league"
	"agentleague/protocol"
)

func TestAllMatchesAreExportedWithReasonsInWords(t *testing.T) {
	t.Parallel()
	names := agents(4)
	names[0] = "=cmd()"
	m := seasonOf(t, seasonPlan{id: "open", names: names, started: true, rounds: 1, half: true})
	var results, players strings.Builder
	m.Read(func(s *league.State) {
		rows := ResultRows(s)
		rows[0].Forfeits, rows[0].ChoiceA = "P01: "+forfeitWords(protocol.Timeout.Code), "+1"
		if err := WriteResults(&results, s.Created.GameType, rows); err != nil {
			t.Error(err)
		}
		if err := WritePlayers(&players, PlayerRows(s, s.Table())); err != nil {
			t.Error(err)
		}
	})
	rows, err := csv.NewReader(strings.NewReader(results.String())).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("got %d rows, %v; want all 6 matches and a header", len(rows), err)
	}
	if got := rows[1]; got[0] != "R1M1" || got[3] != "'=cmd()" || got[6] != "'+1" || got[15] == "" ||
		got[16] != "false" ||
		got[17] != "P01: it did not answer in time (E001)" {
		t.Errorf("got %q", got)
	}
	if got := rows[6]; got[9] != "SCHEDULED" || got[15] != "" {
		t.Errorf("a match that is to come: %q", got)
	}
	table, err := csv.NewReader(strings.NewReader(players.String())).ReadAll()
	if err != nil || len(table) != 5 || !strings.Contains(players.String(), "'=cmd()") {
		t.Errorf("got %q, %v", table, err)
	}
}
