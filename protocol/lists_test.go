package protocol

import (
	"fmt"
	"strings"
	"testing"
)

// standings is a table of that number of rows in the form of its message.
func standings(t testing.TB, n int) []byte {
	rows := rowsOf(n)
	for i := range rows {
		rows[i].DisplayName = fmt.Sprintf("player %d", i)
	}
	raw, err := Encode(&StandingsUpdate{
		Envelope: Envelope{
			Protocol: Version, MessageType: TypeLeagueStandingsUpdate, Sender: "league_manager",
			Timestamp: "2026-01-02T03:04:05Z", ConversationID: "conv-1",
		},
		Standings: rows,
	})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// readRows reads such a table by plan.
func readRows(t testing.TB, raw []byte) []Standing {
	m, ok := quick(raw, Reading{Type: TypeLeagueStandingsUpdate})
	if !ok {
		t.Fatalf("%s: it is not read by plan", raw)
	}
	return m.(*StandingsUpdate).Standings
}

func TestAListHasRoomForLittleMoreThanItsElements(t *testing.T) {
	for _, c := range []struct{ rows, most int }{{1, 2}, {2, 3}, {21, 26}, {500, 600}} {
		rows := readRows(t, standings(t, c.rows))
		if len(rows) != c.rows || cap(rows) > c.most+c.most/8 { // memory comes in certain sizes
			t.Errorf("got %d rows in room for %d, want %d in room for %d", len(rows), cap(rows), c.rows, c.most)
		}
	}
}

// A short first row is not typical for the list.
func TestAListThatBeginsShortTakesNoMoreThanItCouldHave(t *testing.T) {
	raw := strings.Replace(string(standings(t, 3)), `player 1`, strings.Repeat("x", 1<<20), 1)
	if len(raw) < 1<<20 {
		t.Fatal("no row has a long name")
	}
	if rows := readRows(t, []byte(raw)); cap(rows) > 2*manyAtOnce {
		t.Errorf("3 rows have room for %d", cap(rows))
	}
}

// BenchmarkReadNews decodes the message that each player of a large league gets after a round.
func BenchmarkReadNews(b *testing.B) {
	raw := standings(b, 21)
	b.ReportAllocs()
	for b.Loop() {
		readRows(b, raw)
	}
}
