package protocol

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// rowsOf makes rows of a table, some with names that JSON writes otherwise.
func rowsOf(n int) (rows []Standing) {
	for i := range n {
		name := []string{"Ann", `"B"`, "<c>", "Даша", "e\x00\xff"}[i%5]
		rows = append(rows, Standing{Rank: i + 1, PlayerID: AgentID(RolePlayer, i+1), DisplayName: name, Points: 3 * i})
	}
	return rows
}

func TestAMessageWithASharedListIsWrittenAsWithout(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 19))
	for range 300 {
		table := rowsOf(rng.IntN(6))
		alone := &StandingsUpdate{Envelope: Envelope{MessageType: TypeLeagueStandingsUpdate, Protocol: Version, RoundID: 3}}
		alone.Standings, alone.Total, alone.Truncated = table, len(table)*rng.IntN(2), rng.IntN(2) == 0
		shared := *alone
		shared.Begin(Share(TypeLeagueStandingsUpdate, "standings", rowsOf(rng.IntN(6))))
		if n := rng.IntN(6); n < len(table) { // another row, or others in front
			shared.Standings = append([]Standing{}, table...)
			shared.Standings[n].Points--
			alone.Standings = shared.Standings
		}
		sameBytes(t, &shared, alone)
	}
}

func TestAnnouncedMatchesAreShared(t *testing.T) {
	t.Parallel()
	matches := []AnnouncedMatch{{MatchID: "R1M1", PlayerAID: "P01", Attempt: 1}, {MatchID: "R1M2", RefereeEndpoint: "http://x/?a&b"}}
	alone := &RoundAnnouncement{Envelope: Envelope{MessageType: TypeRoundAnnouncement}, Matches: matches, Byes: []string{}}
	shared := *alone
	s := Share(TypeRoundAnnouncement, "matches", matches)
	if shared.Begin(s); s == nil {
		t.Error("nothing is shared")
	}
	sameBytes(t, &shared, alone)
	WithoutNulls(&shared)
	sameBytes(t, &shared, WithoutNulls(alone))
}

func TestWhatNoPlanWritesIsNotShared(t *testing.T) {
	t.Parallel()
	for what, s := range map[string]*Shared{
		"no plan":            Share(TypeLeagueCompleted, "final_standings", rowsOf(2)),
		"no such member":     Share(TypeLeagueStandingsUpdate, "rows", rowsOf(2)),
		"another type":       Share(TypeLeagueStandingsUpdate, "standings", []string{"P01"}),
		"nothing":            Share(TypeLeagueStandingsUpdate, "standings", rowsOf(0)),
		"it is not a list":   Share(TypeLeagueStandingsUpdate, "total", []int{1}),
		"an unknown message": Share("NO_SUCH", "standings", rowsOf(2)),
	} {
		if s != nil {
			t.Errorf("%s: it is shared", what)
		}
	}
}

// sameBytes fails unless two messages are written alike.
func sameBytes(t *testing.T, a, b Message) {
	t.Helper()
	got, err := WriteRequest(nil, a, 7)
	want, failed := WriteRequest(nil, b, 7)
	if err != nil || failed != nil || string(got) != string(want) {
		t.Fatalf("got  %s, %v\nwant %s, %v", got, err, want, failed)
	}
}

// BenchmarkNews writes the news that each player of a large league gets after a round: the top of the table and its own row.
func BenchmarkNews(b *testing.B) {
	rows := rowsOf(21)
	for i := range rows {
		rows[i].DisplayName = fmt.Sprint("player ", i)
	}
	for name, s := range map[string]*Shared{"shared": Share(TypeLeagueStandingsUpdate, "standings", rows[:20]), "alone": nil} {
		b.Run(name, func(b *testing.B) {
			m := &StandingsUpdate{Envelope: Envelope{MessageType: TypeLeagueStandingsUpdate}, Total: 100, Truncated: true}
			m.Standings = append(m.Standings, rows...)
			m.Begin(s)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := WriteRequest(nil, m, 7); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
