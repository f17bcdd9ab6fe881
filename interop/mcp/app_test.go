package mcp_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentleague/web/webtest"
)

// hostile is a name that would do something if it were HTML.
const hostile = `<img src=x onerror="window.ran=1"><b>Eve</b>`

// patientLeague is a league of a game with one player, which waits for a second one. The move timeout is ten minutes,
// so that a slow machine causes no forfeit.
func patientLeague(t *testing.T, game string) *leagueOf {
	t.Helper()
	l := &leagueOf{t: t, root: t.TempDir(), matches: 1}
	l.run("init")
	l.change("config/system.json", `"move_timeout_sec": 30`, `"move_timeout_sec": 600`)
	l.change("config/system.json", `"game_join_ack_timeout_sec": 5`, `"game_join_ack_timeout_sec": 60`)
	l.change("config/leagues/league_2025_even_odd.json", `"game_type": "even_odd"`, `"game_type": "`+game+`"`)
	l.manager = l.start("manager", "--port", "0", "--start-after", "1h")
	l.referee = l.start("referee", "--port", "0", "--manager", l.manager)
	l.player = l.start("player", "--port", "0", "--manager", l.manager, "--name", hostile)
	return l
}

// change changes a file of the root.
func (l *leagueOf) change(name, from, to string) {
	l.t.Helper()
	path := filepath.Join(l.root, filepath.FromSlash(name))
	text, err := os.ReadFile(path)
	if err == nil && !bytes.Contains(text, []byte(from)) {
		l.t.Fatalf("%s has no %s", name, from)
	}
	if err == nil {
		err = os.WriteFile(path, bytes.ReplaceAll(text, []byte(from), []byte(to)), 0o644)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// An opened view is the host's state of it.
type opened struct {
	URI, App string
	Closed   bool // the host cannot look into it
}

// seated takes a seat through the host, as its model would, and returns its key.
func (h *appHost) seated() (key string) {
	h.t.Helper()
	return ask[struct{ StructuredContent struct{ Key string } }](h, "call", "take_seat", map[string]any{"name": "Dana"}).StructuredContent.Key
}

// turn shows the first turn of a seat, when it comes.
func (h *appHost) turn(args map[string]any) {
	h.t.Helper()
	for range 10 {
		if ask[bool](h, "answer", "wait_for_turn", args) {
			return
		}
	}
	h.t.Fatal("no turn comes")
}

// TestLongHostsShowTheTableAndATurn has a host in Chromium, made of the extension's own package, show both views on a
// second origin and under their policy: the table is live, a click plays, and the league counts the move.
func TestLongHostsShowTheTableAndATurn(t *testing.T) {
	t.Parallel()
	b := webtest.Start(t)
	l := patientLeague(t, "even_odd")
	h := newAppHost(t, b, l.manager)

	if got, want := ask[opened](h, "open", "watch_league", map[string]any{}, "light"), (opened{"ui://league/table", "league-table", true}); got != want {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	h.await("watch_league", "tbody tr", "one player, by itself", func(s sight) bool { return len(s.Found) == 1 })
	key := h.seated()
	args := map[string]any{"key": key}
	if got, want := ask[opened](h, "open", "wait_for_turn", args, "dark"), (opened{"ui://league/turn", "league-turn", true}); got != want {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	l.run("start", "--manager", l.manager)
	h.turn(args)
	turn := h.await("wait_for_turn", ".options button", "two moves", func(s sight) bool { return len(s.Found) == 2 })
	for _, want := range []string{"YOUR TURN · R1M1", "Against " + hostile + " (P01)", "Rules", "You have 0 points, your opponent 0."} {
		if !strings.Contains(turn.Text, want) {
			t.Errorf("the turn does not show %q:\n%s", want, turn.Text)
		}
	}
	if turn.Theme != "dark" || turn.Background != "rgb(23, 31, 41)" {
		t.Errorf("the view wears %q on %s, want dark", turn.Theme, turn.Background)
	}
	ask[bool](h, "wear", "wait_for_turn", "light")
	h.await("wait_for_turn", "body", "light colours", func(s sight) bool { return s.Background == "rgb(255, 255, 255)" })

	h.click("wait_for_turn", `button[data-move="odd"]`)
	done := h.await("wait_for_turn", "#status", "the end of the league", leagueOver)
	if !strings.Contains(done.Text, "R1M1 against P01") || !strings.Contains(strings.Join(done.Read, "\n"), "in R1M1-turn1") {
		t.Errorf("the view says\n%s\nand the model reads %q", done.Text, done.Read)
	}
	h.await("watch_league", "#state", "the result in the table", func(s sight) bool {
		return len(s.Found) == 1 && strings.Contains(s.Found[0].Text, "League over · round 1 of 1 · 1 of 1 matches")
	})
	names := ask[sight](h, "look", "watch_league", "tbody bdi").Found
	if len(names) != 2 || names[0].Text != hostile && names[1].Text != hostile {
		t.Errorf("the table has the names %+v", names)
	}
	if moves := h.movesOf("Dana"); !slices.Equal(moves, []string{"odd"}) {
		t.Errorf("the league counts %q, want odd", moves)
	}
	// How high a view wants to be, it tells after it is drawn.
	tall := func(s sight) bool { return s.Sizes > 0 && s.Height >= 60 }
	done = h.await("wait_for_turn", "#status", "its height", tall)
	table := h.await("watch_league", "#state", "its height", tall)
	for _, s := range []sight{done, table} {
		if s.Ran || s.Images != 0 || s.Broken != 0 {
			t.Errorf("a name ran: %v, images: %d, breaches: %d", s.Ran, s.Images, s.Broken)
		}
	}
	h.tab.Shot("views")
	h.tab.Forgive()
	h.cannotLeak("watch_league")
	h.cannotLeak("wait_for_turn")
	ask[bool](h, "close", "wait_for_turn")
}

// leagueOver reports whether the view of a turn shows that the league is over.
func leagueOver(s sight) bool { return len(s.Found) == 1 && s.Found[0].Text == "The league is over" }

// TestLongABoardIsPlayedByClicks plays a match of Tic-Tac-Toe in a view, cell by cell.
func TestLongABoardIsPlayedByClicks(t *testing.T) {
	t.Parallel()
	b := webtest.Start(t)
	l := patientLeague(t, "tic_tac_toe")
	h := newAppHost(t, b, l.manager)
	args := map[string]any{"key": h.seated()}
	ask[opened](h, "open", "wait_for_turn", args, "dark")
	l.run("start", "--manager", l.manager)
	h.turn(args)
	var clicked []string
	for len(clicked) < 5 {
		s := h.await("wait_for_turn", "#status, .board button", "a cell or the end", func(s sight) bool {
			return leagueOver(s) || s.ready() && s.Found[0].Move != "" && !slices.Contains(clicked, s.Found[0].Move)
		})
		if leagueOver(s) {
			break
		}
		if cells := ask[sight](h, "look", "wait_for_turn", ".board td").Found; len(cells) != 9 {
			t.Fatalf("the board has %d cells, want 9:\n%s", len(cells), s.Text)
		}
		h.tab.Shot("board")
		h.tab.ClickAt(s.Found[0].X, s.Found[0].Y)
		clicked = append(clicked, s.Found[0].Move)
	}
	h.await("wait_for_turn", "#status", "the end of the league", leagueOver)
	if moves := h.movesOf("Dana"); len(clicked) < 2 || !slices.Equal(moves, clicked) {
		t.Errorf("the league counts the moves %q, want those clicked, %q", moves, clicked)
	}
}

// cannotLeak attempts the actions that the policy of a view forbids, from inside the view.
func (h *appHost) cannotLeak(tool string) {
	h.t.Helper()
	got := ask[struct {
		Fetched, Shown bool
		Broken         int
	}](h, "probe", tool, map[string]any{"leak": h.other})
	if got.Fetched || got.Shown || got.Broken < 2 || h.leaks.Load() != 0 {
		h.t.Errorf("%s: got %+v and %d requests, want the policy to stop both", tool, got, h.leaks.Load())
	}
}

// movesOf are those of a player, as the league has them in the results of its matches.
func (h *appHost) movesOf(name string) (moves []string) {
	h.t.Helper()
	told := ask[struct {
		StructuredContent struct {
			Results []struct {
				A       string `json:"player_A_id"`
				B       string `json:"player_B_id"`
				NameA   string `json:"player_A_name"`
				Choices map[string]any
				Moves   []struct {
					ID   string `json:"player_id"`
					Move any
				}
			}
		}
	}](h, "call", "watch_league", map[string]any{"timeout_seconds": 0})
	for _, match := range told.StructuredContent.Results {
		id := match.B
		if match.NameA == name {
			id = match.A
		}
		for _, played := range match.Moves {
			if played.ID == id {
				moves = append(moves, fmt.Sprint(played.Move))
			}
		}
		if len(match.Moves) == 0 {
			moves = append(moves, fmt.Sprint(match.Choices[id]))
		}
	}
	return moves
}
