package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/web/webtest"
)

// The wall shows a match in play as spectators may see it, and a finished one with a replay of its positions.
func TestAWallShowsMatchesInPlayAndReplaysFinishedOnes(t *testing.T) {
	t.Parallel()
	l := &liveMatch{}
	l.show(2, `{"board":["X","O","","","","","","",""],"secret":"mine"}`)
	v := openFakeLeague(t, "tic_tac_toe", 4).caller(t, func(o *Options) { o.Live = l.ask })
	var w wallView
	v.json("/leagues/fake/live", &w)
	if len(w.Tiles) != 2 || !w.Tiles[0].Live || w.Tiles[0].ID != "R1M2" || w.Tiles[0].Turn != 2 || w.Tiles[1].Live ||
		w.Tiles[0].Board == nil || w.Tiles[0].Board.Cells[1] != "O" {
		t.Fatalf("got %+v", w.Tiles)
	}
	text := v.page("/leagues/fake/live")
	for _, want := range []string{`data-tile="R1M2"`, `data-tile="R1M1"`, `>live</span>`, `>replay</span>`, `data-frames="[[[0,`} {
		if !strings.Contains(text, want) {
			t.Errorf("the wall lacks %s", want)
		}
	}
	asked := l.asked.Load()
	for range 5 {
		v.page("/leagues/fake/live")
	}
	if n := l.asked.Load(); n > asked+2 {
		t.Errorf("five viewers had the referee asked %d times", n-asked)
	}
}

// A wall shows nothing of a match whose referee does not report it.
func TestAWallWithoutReportsOfRefereesShowsNoPosition(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, "tic_tac_toe", 4)
	h.records["R1M2"] = played("tic_tac_toe", "R1M2", "P03", "P04") // its referee has it already
	v := h.caller(t, nil)
	var w wallView
	v.json("/leagues/fake/live", &w)
	if len(w.Tiles) != 2 || w.Tiles[0].ID != "R1M2" || w.Tiles[0].Board != nil || w.Tiles[0].Frames != "" {
		t.Errorf("got %+v", w.Tiles)
	}
}

// The first places of a wall belong to matches in play, then to upsets and leaders of the round.
func TestAWallPrefersMatchesInPlayUpsetsAndLeaders(t *testing.T) {
	t.Parallel()
	l := &view.League{}
	for _, id := range []string{"P01", "P02", "P03", "P04", "P05", "P06", "P07", "P08"} {
		l.Rows = append(l.Rows, view.Row{})
		l.Rows[len(l.Rows)-1].PlayerID = id
	}
	match := func(id, a, b, result string, done bool) view.MatchRow {
		return view.MatchRow{ID: id, Round: 2, A: view.Contestant{ID: a, Result: result}, B: view.Contestant{ID: b}, Done: done, Attempt: 1}
	}
	waiting := match("waiting", "P01", "P02", "", false)
	waiting.Attempt = 0
	l.RoundNow = &view.RoundNow{Round: 2, Matches: []view.MatchRow{
		match("usual", "P04", "P05", "W", true), match("leaders", "P01", "P06", "W", true), match("upset", "P08", "P03", "W", true),
		match("playing", "P06", "P07", "", false), waiting,
	}}
	var got []string
	for _, m := range interesting(l) {
		got = append(got, m.ID)
	}
	if want := "playing upset leaders usual"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// A match whose record is missing is shown from its moves.
func TestAMatchWithoutARecordIsRetracedFromItsMoves(t *testing.T) {
	t.Parallel()
	v := MatchView{A: ContestantView{NameView: NameView{"P01", "Ada"}, Ending: "WIN"}, B: ContestantView{NameView: NameView{"P02", "Bob"}}, Status: "WIN", Mistake: 2}
	_ = json.Unmarshal([]byte(`[{"turn":0,"player_id":"P01","move":0},{"turn":1,"player_id":"P02","move":3},{"turn":2,"player_id":"P01","move":1}]`), &v.moves)
	s := &matchPages{common: &common{Options: &Options{Retrace: func(string, string) ([]json.RawMessage, error) {
		return []json.RawMessage{
			json.RawMessage(`{"board":["","","",""]}`), json.RawMessage(`{"board":["X","","",""]}`),
			json.RawMessage(`{"board":["X","","","O"]}`), json.RawMessage(`{"board":["X","X","","O"],"line":[0,1]}`),
		}, nil
	}}}}
	s.place(&v)
	rows := v.Moves()
	if len(v.Positions) != 4 || !v.Positions[3].End || len(rows) != 2 || rows[0].Moves[1].Short() != "row 2, col 2" || !rows[0].Moves[1].Mistake {
		t.Fatalf("got %+v and %+v", v.Positions, rows)
	}
	if got, want := v.story(), "Ada completed two in a row in row 1, column 2, which Bob had left open."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v.Mistake = 0
	if got, want := v.story(), "Ada completed two in a row in row 1, column 2."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	failed := MatchView{moves: v.moves, choices: [2][]string{{"even"}, {"odd"}}}
	s.Retrace = func(string, string) ([]json.RawMessage, error) { return nil, errors.New("unknown game") }
	if s.place(&failed); len(failed.Positions) != 2 || failed.Positions[1].Seen[0].Board.Cells[1] != "odd" {
		t.Errorf("without rules: got %+v", failed.Positions)
	}
}

// The losing move is searched for once; a failed search marks none.
func TestALosingMoveIsSearchedForOnce(t *testing.T) {
	t.Parallel()
	searches := 0
	o := &Options{Mistake: func(_ context.Context, _, match string) (int, error) {
		searches++
		return 4, map[string]error{"R1M2": errors.New("no such game")}[match]
	}, Go: func(f func(context.Context)) { f(context.Background()) }}
	m := newMistakes(o)
	for range 3 {
		if got := m.of(t.Context(), "a", "R1M1"); got != 4 {
			t.Errorf("got turn %d, want 4", got)
		}
	}
	if got := m.of(t.Context(), "a", "R1M2"); got != 0 || searches != 2 {
		t.Errorf("got turn %d of a failed search, after %d searches", got, searches)
	}
}

// In a browser the boards of a wall move without a reload, and a finished match is replayed to its end.
func TestBoardsOfAWallMoveInABrowser(t *testing.T) {
	t.Parallel()
	l := &liveMatch{}
	l.show(0, `{"board":["","","","","","","","",""]}`)
	h := openFakeLeague(t, "tic_tac_toe", 4)
	server := httptest.NewServer(New(Options{Host: h, Record: h.record, Live: l.ask}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	tab.Open(server.URL + "/leagues/fake/live")
	webtest.Get[bool](tab, `window.kept = true`)
	marks := func(match string) string {
		return `[...document.querySelectorAll("[data-tile=` + match + `] td")].map((e) => e.textContent).join("")`
	}
	tab.Await("the replay at its start", marks("R1M1")+`.length < 3`)
	tab.Await("the end of the replay", `document.querySelector("[data-tile=R1M1].ended") && `+marks("R1M1")+` === "OXXOXO"`)
	l.show(1, `{"board":["X","","","","","","","",""]}`)
	tab.Await("the first move", marks("R1M2")+` === "X"`)
	l.show(2, `{"board":["X","O","","","","","","",""]}`)
	tab.Await("the second move", marks("R1M2")+` === "XO"`)
	if !webtest.Get[bool](tab, `window.kept === true`) {
		t.Error("the page was loaded again")
	}
	still := webtest.Laptop
	still.Still = true
	tab.Show(still)
	tab.Open(server.URL + "/leagues/fake/live")
	if got := webtest.Get[string](tab, marks("R1M1")); got != "OXXOXO" {
		t.Errorf("with reduced motion the board has %q", got)
	}
}

// The front page lists leagues by their state, with a board of those that are played.
func TestTheFrontPageShowsWhatCanBeWatchedJoinedAndRead(t *testing.T) {
	t.Parallel()
	site := siteOf(t, seasonOf(t, seasonPlan{id: "nobody"}), seasonOf(t, seasonPlan{id: "three", names: agents(3), started: true, rounds: 1, half: true}),
		seasonOf(t, seasonPlan{id: "one", names: agents(1)}), seasonOf(t, seasonPlan{id: "over", names: agents(4), started: true, rounds: 3}))
	tab := webtest.Start(t).Tab(t, webtest.Laptop)
	tab.Open(site + "/leagues")
	got := webtest.Get[string](tab, `[...document.querySelectorAll("h2.part")].map((h) => h.textContent + ": " + [...h.nextElementSibling.querySelectorAll("[data-league]")].map((e) => e.dataset.league + (e.querySelector(".tile") ? "+board" : "")).join(" ")).join(", ")`)
	if want := "Now playing: three+board, Before the start: nobody one, Finished: over"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The front page leaves out the empty league that was created automatically.
func TestTheFrontPageLeavesOutTheEmptyDefaultLeague(t *testing.T) {
	t.Parallel()
	v := indexView{hidden: "default", Leagues: []view.LeagueHead{
		{ID: "autumn", State: protocol.WaitingForRegistrations}, {ID: "default", State: protocol.WaitingForRegistrations}}}
	if got := v.Starting(); len(got) != 1 || got[0].ID != "autumn" {
		t.Errorf("got %+v", got)
	}
}
