package web

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"testing"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/game/draw"
	"agentleague/protocol"
	"agentleague/web/webtest"
)

// A shownGame is a match of a game as its pages receive it: the views of the seats at each step, and the end.
type shownGame struct {
	name    string
	steps   [][]game.View // those of the seats that were asked, by steps
	moves   []map[game.Seat]game.Move
	watched []json.RawMessage // the spectator's view at each step
	end     map[string]any    // the details of the end
}

// shownGames are matches of every game, and of some third-party games, represented by their boards alone.
func shownGames(t *testing.T) (out []shownGame) {
	t.Helper()
	for _, g := range catalog.All() {
		out = append(out, randomGame(t, g))
	}
	for name, told := range map[string]struct{ before, end, moves string }{
		"outside-words": {
			`{"board":[["apple","?","?"],["?","strawberry","?"]],"pairs":{"you":1,"opponent":0}}`,
			`{"board":[["apple","apple","pear"],["pear","strawberry","strawberry"]]}`, `[1,2,3,5]`,
		},
		"outside-heads": {
			`{"board":[["a","","b"],["","b",""],["","","a"],["","",""],["","","w"]],"board_rows":["5","4","3","2","1"],"board_columns":["a","b","c"]}`,
			`{"board":[["a","","b"],["","b",""],["b","","a"],["","",""],["","","w"]],"board_rows":["5","4","3","2","1"],"board_columns":["a","b","c"],"line":[2,4,6]}`,
			`["a5-b5","c1-c2","pass"]`,
		},
		"outside-letters": {
			`{"board":[["C","D","C","C","D","",""],["D","D","C","D","C","",""]],"board_rows":["you","opponent"],"board_columns":["1","2","3","4","5","6","7"]}`,
			`{"board":[["C","D","C","C","D","C","C"],["D","D","C","D","C","D","D"]],"board_rows":["first","second"],"board_columns":["1","2","3","4","5","6","7"]}`,
			`["cooperate","defect"]`,
		},
	} {
		var moves []game.Move
		if err := json.Unmarshal([]byte(told.moves), &moves); err != nil {
			t.Fatal(err)
		}
		var end map[string]any
		if err := json.Unmarshal([]byte(told.end), &end); err != nil {
			t.Fatal(err)
		}
		view := game.View{Ask: "play", Options: moves, Context: json.RawMessage(told.before)}
		out = append(out, shownGame{
			name: name, steps: [][]game.View{{view}}, watched: []json.RawMessage{view.Context}, end: end,
			moves: []map[game.Seat]game.Move{{0: moves[0]}},
		})
	}
	return out
}

// randomGame plays a match of a game with random moves.
func randomGame(t *testing.T, g game.Game) shownGame {
	t.Helper()
	s, err := g.Start(2, draw.New([]byte("boards")))
	if err != nil {
		t.Fatal(err)
	}
	out, rng := shownGame{name: g.Info().Type}, rand.New(rand.NewPCG(1, 2))
	for len(s.ToMove()) > 0 {
		moves := map[game.Seat]game.Move{}
		var step []game.View
		for _, seat := range s.ToMove() {
			v := s.View(seat)
			moves[seat] = v.Options[rng.IntN(len(v.Options))]
			step = append(step, v)
		}
		out.steps, out.moves = append(out.steps, step), append(out.moves, moves)
		out.watched = append(out.watched, s.View(-1).Context)
		if err := s.Apply(moves); err != nil {
			t.Fatal(err)
		}
	}
	o, _ := s.Outcome()
	out.end = o.Details
	return out
}

// record is the record of the match between two players.
func (g shownGame) record(id, a, b string) protocol.MatchRecord {
	winner, ids := b, []string{a, b}
	rec := protocol.MatchRecord{
		SchemaVersion: "1.0.0", MatchID: id, LeagueID: fakeLeagueID, RoundID: 1, GameType: g.name, RefereeID: "REF01",
		PlayerAID: a, PlayerBID: b, Attempt: 1, TranscriptComplete: true,
		Result: protocol.GameResult{Status: protocol.Win, WinnerPlayerID: &winner, Reason: b + " has won"},
	}
	say := func(typ protocol.Type, from, to string, message map[string]any) {
		raw, _ := json.Marshal(message)
		rec.Transcript = append(rec.Transcript, protocol.TranscriptEntry{
			Seq: len(rec.Transcript) + 1, Timestamp: "2026-01-02T03:04:06Z", MessageType: typ, From: from, To: to, Message: raw,
		})
	}
	for turn, step := range g.steps {
		for _, v := range step {
			say(protocol.TypeGameMoveCall, "referee:REF01", "player:"+ids[v.Seat], map[string]any{"turn": turn,
				"move_request": map[string]any{"move_type": v.Ask, "context": v.Context, "valid_options": v.Options}})
		}
		for _, v := range step {
			say(protocol.TypeGameMoveResponse, "player:"+ids[v.Seat], "referee:REF01",
				map[string]any{"move_data": map[string]any{"choice": g.moves[turn][v.Seat]}})
		}
	}
	for _, player := range ids {
		say(protocol.TypeGameOver, "referee:REF01", "player:"+player,
			map[string]any{"result": "WIN", "game_result": map[string]any{"details": g.end}})
	}
	return rec
}

// serveGame puts the pages of the match on a port: R1M1 is over, R1M2 is in play, and a seat is asked.
func serveGame(t *testing.T, g shownGame) string {
	t.Helper()
	h := openFakeLeague(t, "tic_tac_toe", 4)
	was := h.records["R1M1"]
	h.records["R1M1"] = g.record("R1M1", was.PlayerAID, was.PlayerBID)
	middle := len(g.steps) / 2
	v := g.steps[middle][0]
	s := aStool("even_odd")
	s.now.Turns[0].Ask, s.now.Turns[0].Options, s.now.Turns[0].Context = v.Ask, v.Options, v.Context
	site := New(Options{
		Host: h, Record: h.record,
		Rules: func(string) string { return rulesOf(g.name) },
		Live: func(context.Context, string, string) (*protocol.MatchState, error) {
			return &protocol.MatchState{Turn: middle, Spectator: g.watched[middle], Players: []protocol.SeatState{
				{PlayerID: "P02", ToMove: true}, {PlayerID: "P03", ToMove: true, Answered: true},
			}}, nil
		},
		Seat:   func(context.Context, string, string, string) (Seat, error) { return s, nil },
		Seated: func(_, key string) (Seat, bool) { return s, key == s.Key() },
	})
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	return server.URL + "/leagues/" + fakeLeagueID
}

func rulesOf(name string) string {
	g, err := catalog.Lookup(name)
	if err != nil {
		return "Whoever has the most wins."
	}
	return g.Info().Rules
}

// Every game on every screen, in light and dark: a match that is over, one in play, and a seat that is asked. Nothing is
// wider than its screen, and every move can be clicked.
func TestLongGamesOnEveryScreen(t *testing.T) {
	t.Parallel()
	b := webtest.Start(t)
	screens := []webtest.Screen{webtest.Phone, webtest.Laptop.InDark()}
	if os.Getenv("LEAGUE_SHOTS") != "" { // screenshots are requested
		screens = append(screens, webtest.Phone.InDark(), webtest.Laptop, webtest.Projector, webtest.Projector.InDark())
	}
	for _, g := range shownGames(t) {
		at := serveGame(t, g)
		for _, screen := range screens {
			tab := b.Tab(t, screen)
			look := func(page string) {
				if !webtest.Get[bool](tab, narrow) {
					t.Errorf("%s of %s is wider than a %s", page, g.name, screen.Name)
				}
				tab.Shot(g.name + "-" + page)
			}
			tab.Open(at + "/matches/R1M1")
			look("match")
			tab.Open(at + "/matches/R1M2")
			look("live")
			open(tab, at+"/seat", "cookie", "")
			look("seat")
			moves := len(g.steps[len(g.steps)/2][0].Options)
			if n := webtest.Get[int](tab, `[...document.querySelectorAll(".moves button")].filter((e) => e.checkVisibility()).length`); n != moves {
				t.Errorf("%s on %s: %d of %d moves can be clicked", g.name, screen.Name, n, moves)
			}
		}
	}
}
