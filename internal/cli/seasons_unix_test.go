//go:build !windows

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentleague/config"
	"agentleague/host"
	"agentleague/league/seasons"
	"agentleague/rpc/rpctest"
	"agentleague/store"
)

// Two players of separate processes and a stranger play three seasons. The manager is killed when it has just made the
// second: nothing is lost, and no season is made twice.
func TestSeasonsGoOnAfterTheDeathOfTheirManager(t *testing.T) {
	t.Parallel()
	root, other := t.TempDir(), t.TempDir()
	if _, _, err := store.Init(root, host.Games(), ""); err != nil {
		t.Fatal(err)
	}
	change(t, root, "league seasons", 3)
	port := rpctest.Port()
	url := fmt.Sprintf("http://localhost:%d/mcp", port)
	args := []string{"manager", "--root", root, "--port", strconv.Itoa(port), "--start-when", "players=3,referees=1"}
	first := start(t, args...)
	first.endpoint()
	stranger := newPeer(t, plays, "")
	asked(t, url, "register_player", fmt.Sprintf(`{"protocol":"league.v2","sender":"player:S","player_meta":{"display_name":"Stranger","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":%q}}`, stranger.url))
	start(t, "referee", "--root", root, "--port", "0", "--manager", url)
	var players []*process
	for _, name := range []string{"Ada", "Bob"} {
		players = append(players, start(t, "player", "--root", other, "--port", "0", "--name", name, "--manager", url))
	}
	rpctest.Eventually(t, "the second season", func() bool {
		_, err := os.Stat(filepath.Join(root, config.LeagueFile(theLeague+"_2")))
		return err == nil
	})
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.status()
	start(t, args...)
	for _, p := range players {
		if p.status() != 0 || strings.Count(p.errs.String(), "The league is over") != 3 {
			t.Errorf("want a player that hears of three ends, got\n%s", p.errs.String())
		}
	}
	var all seasons.Series
	once(t, &all, "seasons", "--manager", url)
	checkThree(t, root, all)
	for _, body := range stranger.heard("notify_league_completed") {
		if strings.Contains(body, "next_league_id") {
			t.Errorf("a stranger is told what only our agents understand: %s", body)
		}
	}
}

// checkThree holds three seasons of the same three players against their logs.
func checkThree(t *testing.T, root string, all seasons.Series) {
	t.Helper()
	if all.Wanted != 3 || all.Played() != 3 || len(all.Totals) != 3 {
		t.Errorf("got %+v, want three seasons of three players", all)
	}
	for _, row := range all.Totals {
		if row.Seasons != 3 || row.Played != 6 {
			t.Errorf("%s: got %+v, want two matches in each of three seasons", row.DisplayName, row)
		}
	}
	var before []string
	for _, season := range all.Seasons {
		var who []string
		s := foldedOf(t, root, season.LeagueID)
		for _, id := range s.Players() {
			who = append(who, id+" "+s.Agents[id].Name+" "+s.Agents[id].Key)
		}
		if before != nil && !slices.Equal(who, before) {
			t.Errorf("%s: the players are %q, want %q", season.LeagueID, who, before)
		}
		before = who
	}
}
