package config

import (
	"strings"
	"testing"
)

// A change keeps the order of the file, and members that this program does not support.
func TestChangeKeepsTheRestOfTheFile(t *testing.T) {
	t.Parallel()
	text := `{"_note": "ours", "league_id": "spring", "schema_version": "1.0.0", "schedule": {"cycles": 2}, "start": {"players": 4, "referees": 1}}`
	change := Change{"start": nil}
	change.Set("schedule.rounds", 3)
	change.Set("display_name", "Spring Cup")
	got, err := change.Merge("config/leagues/spring.json", "spring", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"_note":"ours","league_id":"spring","schema_version":"1.0.0","schedule":{"cycles":2,"rounds":3},"display_name":"SpringCup"}`
	if plain := strings.Join(strings.Fields(string(got)), ""); plain != want {
		t.Errorf("got %s, want %s", plain, want)
	}
}

func TestChangeIsRefusedByItsKey(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]Change{
		"schedule.cycles: want 1 to 1000, got 0":       {"schedule": map[string]any{"cycles": 0}},
		"start.at: want a time such as":                {"start": map[string]any{"at": "noon"}},
		"limits.max_retries: want 0 to 100, got 101":   {"limits": map[string]any{"max_retries": 101}},
		"pace: unknown key, which has no effect":       {"pace": 3},
		"guest_referees: want before_start or invited": {"guest_referees": "always"},
	} {
		if _, err := Described("spring").With(change); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestAgainRepeatsADescriptionWithoutItsPast(t *testing.T) {
	t.Parallel()
	old := Described("spring")
	old.DisplayName, old.GameType, old.InvitedOnly, old.MovedTo, old.Status = "Spring Cup", "tic_tac_toe", true, "elsewhere", "INACTIVE"
	old.Start = &Start{Players: 4, Referees: 1, At: "2020-01-01T10:00:00Z"}
	got := old.Again(Described("summer"))
	if got.LeagueID != "summer" || got.DisplayName != "Spring Cup" || got.GameType != "tic_tac_toe" || !got.InvitedOnly ||
		got.MovedTo != "" || got.Status != "ACTIVE" || *got.Start != (Start{Players: 4, Referees: 1}) {
		t.Errorf("got %+v, start %+v", got, got.Start)
	}
}
