package league

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"agentleague/protocol"
)

// FuzzFold decodes any bytes as the entries of a log, one per line: the result is a state or an error, and every method
// of that state returns.
func FuzzFold(f *testing.F) {
	whole := begun(f, 1, 2, Created{MaxForfeits: 2})
	if _, err := whole.report("REF01", "R1M1", 1, protocol.ReportedResult{}); err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.Join(whole.log, []byte("\n")))
	left := begun(f, 2, 3, Created{Cycles: 2})
	left.write(AgentState{"REF01", protocol.AgentSuspended, ""}, Withdrawn{ID: "P02"})
	f.Add(bytes.Join(left.log, []byte("\n")))
	f.Add([]byte(`[{"kind":"AgentRegistered","at":"2025-01-01T00:00:00Z","event":{"role":"emperor"}}]`))
	f.Add([]byte("[]\nnull\n{"))
	f.Fuzz(func(t *testing.T, log []byte) {
		s, err := Fold(entries(bytes.FieldsFunc(log, func(r rune) bool { return r == '\n' })))
		if err != nil {
			return
		}
		if len(s.resultsUntil(s.Round)) != s.Recorded {
			t.Errorf("%d results, %d recorded", len(s.resultsUntil(s.Round)), s.Recorded)
		}
		if got, want := len(s.Standings()), len(s.Players()); got != want {
			t.Errorf("%d rows for %d players", got, want)
		}
		for _, id := range s.Players() {
			s.TallyOf(id)
		}
		Advance(s, func(MatchAssigned) bool { return true }, "")
		OpenNext(s, "5ec7e7", s.At())
		ToPing(s)
	})
}

// FuzzDecodeBatch: a decoded line is unambiguous, and equals itself after encoding and decoding.
func FuzzDecodeBatch(f *testing.F) {
	at := time.Date(2025, 1, 15, 10, 30, 0, 123456789, time.UTC)
	line := func(at time.Time, events ...Event) (data []byte, err error) {
		var batch []EncodedEvent
		for _, e := range events {
			one, err := EncodeEvent(at, e)
			if err != nil {
				return nil, err
			}
			if plain, err := json.Marshal(e); err != nil || string(plain) != string(one.Event) {
				panic(fmt.Sprintf("by plan it is written %s, by encoding/json %s, %v", one.Event, plain, err))
			}
			batch = append(batch, one)
		}
		return EncodeBatch(batch), nil
	}
	for _, e := range every {
		data, err := line(at, e, e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`[{"event":{"Round":1},"at":"2025-01-01T00:00:00Z","kind":"RoundOpened"}]`))
	f.Add([]byte(`[{"kind":"Paused","at":"2025-01-01T00:00:00Z","event":null}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		at, events, err := decodeBoth(t, data)
		if err != nil {
			return
		}
		if protocol.RepeatedKey(data) != "" || !utf8.Valid(data) || len(events) == 0 {
			t.Fatalf("%q was read as %v", data, events)
		}
		again, err := line(at, events...)
		if err != nil {
			return // such as a year above 9999
		}
		when, same, err := DecodeBatch(again)
		if err != nil || !when.Equal(at) {
			t.Fatalf("%q: written as %s: %v", data, again, err)
		}
		if twice, err := line(when, same...); err != nil || !bytes.Equal(twice, again) {
			t.Fatalf("%q: written as %s and then as %s: %v", data, again, twice, err)
		}
	})
}

// FuzzSchedule asks a schedule of any size for any match.
func FuzzSchedule(f *testing.F) {
	f.Add(4, 1, 0, 1, 1, true)
	f.Add(5, 2, 3, 5, 2, false)
	f.Add(0, -1, -1, 0, 0, true)
	f.Add(2, 1<<62, 0, 1<<62, 1, true)
	f.Fuzz(func(t *testing.T, players, cycles, limit, round, n int, seats bool) {
		s := Ring{Players: squad(min(max(players, 0), 300)), Cycles: cycles, Limit: limit, SeatMatters: seats}
		p, ok := s.Match(round, n)
		found, at, okFound := FindMatch(s, protocol.MatchID(round, n))
		if ok != okFound || p != found || ok && at != round {
			t.Errorf("match %d of round %d: got %v, %v; found %v, %d, %v", n, round, p, ok, found, at, okFound)
		}
		if want := round >= 1 && round <= s.Rounds() && n >= 1 && n <= s.MatchesPerRound(); ok != want {
			t.Errorf("match %d of round %d: there is %v, want %v", n, round, ok, want)
		}
		if ok && (p.A == p.B || !slices.Contains(s.Players, p.A) || !slices.Contains(s.Players, p.B)) {
			t.Errorf("match %d of round %d: got %v", n, round, p)
		}
		if byes := s.Byes(round); slices.Contains(byes, p.A) || slices.Contains(byes, p.B) {
			t.Errorf("round %d: %v play, and %s has a bye", round, p, byes)
		}
	})
}
