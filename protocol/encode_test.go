package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func decode[M Message](t *testing.T, raw string, r Reading) M {
	t.Helper()
	m, _, err := Decode([]byte(raw), r)
	if err != nil {
		t.Fatal(err)
	}
	return m.(M)
}

func encode(t *testing.T, m Message) map[string]any {
	t.Helper()
	raw, err := Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, raw).(map[string]any)
}

func TestExamplesSurviveTheWire(t *testing.T) {
	for _, e := range examples() {
		raw, err := Encode(e.message)
		if err != nil {
			t.Fatal(err)
		}
		m, warnings, err := Decode(raw, Reading{Strict: true})
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v, warnings %q", e.file, err, warnings)
			continue
		}
		again, err := Encode(m)
		if err != nil || !reflect.DeepEqual(parse(t, again), parse(t, raw)) {
			t.Errorf("%s: got %s, %v; want %s", e.file, again, err, raw)
		}
	}
}

func TestUnknownMembersAreKeptAtEveryDepth(t *testing.T) {
	m := decode[*StandingsUpdate](t, `{"message_type":"LEAGUE_STANDINGS_UPDATE","season":{"year":2025},
		"standings":[{"rank":1,"player_id":"P01","elo":1500},{"rank":2,"player_id":"P02","elo":1400}]}`, Reading{})
	m.Standings[0].Points = 9
	got := encode(t, m)
	rows := got["standings"].([]any)
	if row := rows[0].(map[string]any); row["elo"] != 1500.0 || row["points"] != 9.0 {
		t.Errorf("got the row %v, want elo 1500 kept and points 9 new", row)
	}
	if !reflect.DeepEqual(got["season"], map[string]any{"year": 2025.0}) {
		t.Errorf("got season %v, want it kept", got["season"])
	}
	m.Standings = m.Standings[:1]
	if rows := encode(t, m)["standings"].([]any); len(rows) != 1 || rows[0].(map[string]any)["elo"] != nil {
		t.Errorf("got %v, want the one row that is left, and nothing guessed about it", rows)
	}
}

// TestClearedMemberStaysCleared: a token that was taken out of a message must not come back from its source.
func TestClearedMemberStaysCleared(t *testing.T) {
	m := decode[*Tool](t, `{"message_type":"PING","auth_token":"tok_secret","round_id":3,"league_id":"","match_id":null}`,
		Reading{})
	m.AuthToken, m.RoundID = "", 0
	got := encode(t, m)
	if got["auth_token"] != nil || got["round_id"] != nil {
		t.Errorf("got %v, want neither auth_token nor round_id", got)
	}
	for _, name := range []string{"league_id", "match_id"} {
		if _, kept := got[name]; !kept {
			t.Errorf("%s came empty and was lost", name)
		}
	}
}

func TestWithoutNullsLeavesNoneAtAnyDepth(t *testing.T) {
	over := &GameOver{
		GameResult: GameResult{
			Status: TechnicalLoss, Choices: map[string]json.RawMessage{"P01": text("even"), "P02": []byte("null")},
			DrawnNumber: DrawMember[int](EvenOdd, nil), NumberParity: DrawMember[string](EvenOdd, nil),
		},
		DrawnNumber: DrawMember[int](EvenOdd, nil),
	}
	if raw, err := Encode(over); err != nil || strings.Count(string(raw), "null") != 8 {
		t.Errorf("got %s, %v; want eight nulls", raw, err)
	}
	raw, err := Encode(WithoutNulls(over))
	if err != nil || strings.Contains(string(raw), "null") {
		t.Errorf("got %s, %v; want no null", raw, err)
	}
	if got := parse(t, raw).(map[string]any)["game_result"].(map[string]any); got["status"] != TechnicalLoss ||
		len(got["choices"].(map[string]any)) != 1 {
		t.Errorf("got %v, want what is not null", got)
	}
	answer := &LeagueQueryResponse{Data: json.RawMessage(`{"schedule":[{"winner":null,"matches":[null,1]}],"next":null}`)}
	want := map[string]any{"schedule": []any{map[string]any{"matches": []any{nil, 1.0}}}}
	if got := encode(t, WithoutNulls(answer))["data"]; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v: a list keeps its places", got, want)
	}
}

func TestEmptyStandingsAreShown(t *testing.T) {
	if _, there := encode(t, &LeagueQueryResponse{})["standings"]; there {
		t.Error("standings that were not asked for are shown")
	}
	if got := encode(t, &LeagueQueryResponse{Standings: []Standing{}})["standings"]; !reflect.DeepEqual(got, []any{}) {
		t.Errorf("got %v, want an empty list", got)
	}
}

func TestUnwritableMessageIsAnError(t *testing.T) {
	if _, err := Encode(&LeagueQueryResponse{Data: json.RawMessage(`{`)}); err == nil {
		t.Error("broken JSON was written")
	}
	if _, err := Encode(&LeagueError{Context: map[string]any{"f": func() {}}}); err == nil {
		t.Error("a function was written")
	}
}

func TestEncodeLeavesTheMessageAsItIs(t *testing.T) {
	state := &MatchState{GameResult: &GameResult{}}
	if _, err := Encode(state); err != nil || state.Players != nil || state.GameResult.Choices != nil {
		t.Errorf("got %+v, %v; want nothing filled in", state, err)
	}
}
