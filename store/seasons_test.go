package store

import (
	"fmt"
	"slices"
	"testing"

	"agentleague/config"
)

func TestSeasonsAreFoundByTheirSettings(t *testing.T) {
	root := newLeagueRoot(t)
	for n, id := range []string{"autumn_3", "autumn_2", "autumn_10"} { // not in the order of their ids
		number := []int{3, 2, 4}[n]
		_, err := root.Leagues().Create(id, func(v *config.League) {
			v.Season, v.CreatedBy = &config.Season{Of: "autumn", Number: number}, fmt.Sprint("season ", number)
			v.Start = &config.Start{Players: 2, Referees: 1}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := root.Leagues().Create("spring", func(*config.League) {}); err != nil {
		t.Fatal(err)
	}
	got, err := root.Leagues().Seasons("autumn")
	if want := []string{"autumn", "autumn_2", "autumn_3", "autumn_10"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if alone, err := root.Leagues().Seasons("spring"); err != nil || !slices.Equal(alone, []string{"spring"}) {
		t.Errorf("of a league that has one season: got %q, %v", alone, err)
	}
}

func TestSeasonsThatAreOrderedCountBeforeThoseOfTheSettings(t *testing.T) {
	root := newLeagueRoot(t)
	if _, err := root.Leagues().Create("autumn", func(v *config.League) { v.Seasons = 3 }); err != nil {
		t.Fatal(err)
	}
	for league, want := range map[string]int{"autumn": 3, "spring": 1} {
		if got, err := root.Leagues().SeasonsWanted(league); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", league, got, err, want)
		}
	}
	if err := root.Leagues().PlanSeasons("autumn", 5, "admin"); err != nil {
		t.Fatal(err)
	}
	if got, err := root.Leagues().SeasonsWanted("autumn"); err != nil || got != 5 {
		t.Errorf("after an order: got %d, %v, want 5", got, err)
	}
	if err := root.Leagues().PlanSeasons("../autumn", 5, "admin"); err == nil {
		t.Error("an order about a folder elsewhere was taken")
	}
}
