package web

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"agentleague/web/webtest"
)

// full are views with everything that they can show.
var full = map[string]string{
	"table": `{ structuredContent: { state: "RUNNING_LEAGUE", round: 1, total_rounds: 3, matches_completed: 1, total_matches: 3,
		results: [{ match_id: "R1M1", player_A_id: "P01", player_B_id: "P02", player_A_name: "Ada", player_B_name: "Bob", winner: "P01" }],
		standings: [{ rank: 1, player_id: "P01", display_name: "Ada", played: 1, wins: 1, draws: 0, losses: 0, points: 3 }] } }`,
	"turn": `{ structuredContent: { status: "your_turn", next: "", players: 2, standing: { rank: 1, played: 1, points: 3 },
		news: [{ text: "You won R1M1." }], turn: { turn_id: "R2M1-turn1", match_id: "R2M1", game_type: "tic_tac_toe", opponent_id: "P02",
		opponent_name: "Bob", rules: "Three in a row.", refused: "the cell is taken", score: { you: 3, opponent: 0 }, seconds_left: 600,
		deadline: "2999-01-01T00:00:00Z", opponent_played: [{ match_id: "R1M1", moves: ["4"], result: "LOSS" }], choices: ["2", "pass"],
		view: { mark: "X", board: ["X", "O", "", "", "", "", "", "", ""] } } } }`,
}

// auditViews runs the checkers on the views, in light and in dark colours.
func auditViews(t *testing.T, tools string) {
	source, err := os.ReadFile(filepath.Join(tools, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(string(source))
	b := webtest.Start(t)
	for name, answer := range full {
		validate(t, tools, servedView(t, name, "{}"), []string{"/view"})
		h := hostOf(t, b, name, `{ serverTools: {} }`)
		h.run(`result(` + answer + `)`)
		h.Await("the view", `page().querySelector("tbody")`)
		h.run(`for (const folded of page().querySelectorAll("details")) folded.open = true; view.contentWindow.eval(` + string(quoted) + `)`)
		for _, theme := range []string{"light", "dark"} {
			h.run(`post({ method: "ui/notifications/host-context-changed", params: { theme: "` + theme + `" } })`)
			h.Await(theme+" colours", `page().documentElement.dataset.theme === "`+theme+`"`)
			axe(t, tools, h.Tab, "the view "+name+" in "+theme+" colours")
			h.Shot("view-" + name + "-" + theme)
		}
	}
}
