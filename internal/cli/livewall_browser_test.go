package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentleague/rpc/rpctest"
	"agentleague/web/webtest"
)

// heapGrowth is how much the heap of a page may grow in a round.
const heapGrowth = 1.2

// slowPlayer is a player that takes the first legal move after a while, so that a match is seen being played.
const slowPlayer = `while read -r turn; do
	sleep 0.3
	printf '%s\n' "$turn" | sed 's/.*"valid_options":\[\([^],]*\).*/\1/'
done
`

// watching notes in the page the positions of each board, and those that it has while its match is in play. A reload ends
// it.
const watching = `(() => {
	const live = new Map(), all = new Map();
	window.seen = (boards) => [...boards.values()].filter((positions) => positions.size > 1).length;
	window.boards = {live, all};
	new MutationObserver(() => {
		for (const tile of document.querySelectorAll(".tile")) {
			const position = tile.querySelector(".tile-board").textContent;
			for (const boards of tile.classList.contains("on") ? [live, all] : [all]) {
				if (!boards.has(tile.dataset.tile)) boards.set(tile.dataset.tile, new Set());
				boards.get(tile.dataset.tile).add(position);
			}
		}
	}).observe(document.getElementById("tiles"), {subtree: true, childList: true, characterData: true});
	return true;
})()`

// roundShown is the round that the wall shows.
const roundShown = `Number(document.querySelector(".scoreboard .status b")?.textContent.replace(/\D/g, "") || 0)`

// The wall of a league of 30 is watched for two whole rounds: the boards follow the matches in play without a reload, and
// the page's memory does not grow with the rounds.
func TestLongWallOfALeagueOf30FollowsWholeRounds(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "slow.sh")
	if err := os.WriteFile(program, []byte(slowPlayer), 0o600); err != nil {
		t.Fatal(err)
	}
	run := start(t, "run", "--root", rootFor(t, "connect_four"), "--port", "0", "--players", "30", "--pace", "2s",
		"--strategy", "exec:sh "+program)
	run.says("Watch it at http://localhost:")
	_, url, _ := strings.Cut(run.errs.String(), "Watch it at ")
	url, _, _ = strings.Cut(url, "\n")
	tab := webtest.Start(t).Tab(t, webtest.Projector)
	tab.Open(url + "leagues/league_2025_even_odd/live")
	reach := func(round int) {
		t.Helper()
		rpctest.Eventually(t, "the next round", func() bool { return webtest.Get[int](tab, roundShown) >= round })
	}
	reach(2) // in the first one the page warms up
	tab.Await("boards", `document.querySelectorAll(".tile").length === 9`)
	first := webtest.Get[int](tab, roundShown)
	webtest.Get[bool](tab, watching)
	before := tab.Heap()
	reach(first + 1)
	middle := tab.Heap()
	reach(first + 2)
	after := tab.Heap()
	seen := webtest.Get[struct{ Live, All int }](tab, `({Live: window.seen(boards.live), All: window.seen(boards.all)})`)
	t.Logf("boards that changed: %+v; heap: %.1f, %.1f, %.1f MB", seen, before/1e6, middle/1e6, after/1e6)
	if seen.Live < 3 || seen.All < 9 {
		t.Errorf("%d boards changed while they were played, and %d in all, in two rounds of 15 matches", seen.Live, seen.All)
	}
	if after > heapGrowth*max(before, middle) {
		t.Errorf("the heap grew from %.1f and %.1f to %.1f MB in a round", before/1e6, middle/1e6, after/1e6)
	}
}
