package config_test

import (
	"strings"
	"testing"

	"agentleague/config"
)

func TestANewLeagueHasTheDefaultSettingsAndItsOwn(t *testing.T) {
	text, err := config.NewLeague("spring", func(v *config.League) { v.Schedule.Cycles = 2 })
	mustSucceed(t, err)
	root := open(t)
	write(t, root, config.LeagueFile("spring"), string(text))
	got, err := root.Config().League("spring")
	mustSucceed(t, err)
	want, err := root.Config().League("autumn") // has no file: the default settings
	mustSucceed(t, err)
	if got.LeagueID != "spring" || got.Schedule.Cycles != 2 || got.Participants != want.Participants ||
		got.MaxConsecutiveForfeits != want.MaxConsecutiveForfeits || got.BroadcastLimit != want.BroadcastLimit {
		t.Errorf("got %+v, want the settings of %+v with 2 cycles", got, want)
	}
}

func TestANewLeagueWithWrongSettingsIsAnError(t *testing.T) {
	_, err := config.NewLeague("spring", func(v *config.League) { v.Schedule.Cycles = -1 })
	if err == nil || !strings.Contains(err.Error(), "schedule.cycles: want 1 to 1000, got -1") {
		t.Errorf("got %v, want an error that names schedule.cycles", err)
	}
	if _, err := config.NewLeague("P01", func(*config.League) {}); err == nil {
		t.Error("a league with the id of a player: got no error")
	}
}

func TestSettingsTellWhetherTheLeagueWasMadeOnAManager(t *testing.T) {
	for text, want := range map[string]bool{
		`{"created_by": "admin", "start": {"players": 2}}`: true,
		`{"created_by": "admin"}`:                          false,
		`{"start": {"players": 2}}`:                        false,
		`{"created_by": "", "start": {}}`:                  false,
		`{`:                                                false,
	} {
		if got := config.IsCreatedOnManager([]byte(text)); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}
