package journey

import (
	"encoding/json"
	"testing"
)

// A researcher compares built-in players, an own program and an endpoint.
func TestResearcher(t *testing.T) {
	t.Parallel()
	j := begin(t, researcher)
	j.contains(j.also("league help strategies"), "minimax", "pattern")
	j.contains(j.run("league run --game connect_four"), "Champion")
	j.run("league play pattern cycle")

	program := "#!/usr/bin/env python3\n" + j.block("docs/guide/writing-a-player.md", "python", "for line in sys.stdin")
	j.write("player.py", program)
	j.write("mine.py", program)
	j.start(`league player --port 0 --strategy "exec:python3 player.py"`).prints("listens at").interrupt()

	j.contains(j.run("league play minimax:2 minimax:4"), "20 of 20 games", "Elo")
	var series struct{ Won, Drawn, Lost int }
	if err := json.Unmarshal([]byte(j.run("league play pattern exec:./mine.py")), &series); err != nil || series.Won+series.Drawn+series.Lost != 100 {
		t.Errorf("want 100 games, got %+v, %v", series, err)
	}
	endpoint := j.serve("league player --port 8101").prints("listens at")
	j.contains(j.run("league play http://localhost:8101/mcp random"), "100 of 100 games")
	endpoint.interrupt()
	j.contains(j.run("league play minimax random --game tic_tac_toe --games 2000 --sprt"), "is ahead by 50 Elo")
}
