package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/web/webtest"
)

// A liveMatch is R1M2 of a fakeLeague, which is in play, as its referee reports it.
type liveMatch struct {
	asked atomic.Int64
	board atomic.Value // a json.RawMessage; none: the referee does not answer
	turn  atomic.Int64
}

func (l *liveMatch) ask(_ context.Context, league, match string) (*protocol.MatchState, error) {
	l.asked.Add(1)
	seen, ok := l.board.Load().(json.RawMessage)
	if league != fakeLeagueID || match != "R1M2" || !ok {
		return nil, errors.New("nobody answers")
	}
	return &protocol.MatchState{Turn: int(l.turn.Load()), Spectator: seen, Players: []protocol.SeatState{
		{PlayerID: "P03", ToMove: true, Answered: true}, {PlayerID: "P04", ToMove: true}, {PlayerID: nasty},
	}}, nil
}

func (l *liveMatch) show(turn int, board string) {
	l.turn.Store(int64(turn))
	l.board.Store(json.RawMessage(board))
}

func TestAMatchInPlayIsShownAsSpectatorsSeeIt(t *testing.T) {
	t.Parallel()
	l := &liveMatch{}
	l.show(2, `{"board":[["?","K +1"],["","J -1"]],"board_rows":["first","second"],"pot":3}`)
	v := openFakeLeague(t, "tic_tac_toe", 4).caller(t, func(o *Options) { o.Live = l.ask })
	var m MatchView
	v.json("/leagues/fake/matches/R1M2", &m)
	if m.Live == nil || m.Live.Turn != 2 || len(m.Live.Seen) != 1 || len(m.Live.Players) != 2 || len(m.Positions) > 0 {
		t.Fatalf("got %+v", m.Live)
	}
	seen := m.Live.Seen[0]
	if fmt.Sprint(seen.Board.RowHeads) != "[Agent 3 Agent 4]" || fmt.Sprint(seen.Facts) != "[{pot 3 [] []}]" {
		t.Errorf("got the rows %q and the facts %v", seen.Board.RowHeads, seen.Facts)
	}
	text := v.page("/leagues/fake/matches/R1M2")
	for _, want := range []string{"after 2 moves", "has answered", "is thinking", `class="good"`, `data-stamp="` + m.Live.Stamp + `"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	var over MatchView
	v.json("/leagues/fake/matches/R1M1", &over)
	if over.Live != nil {
		t.Error("a match that is over is in play")
	}
}

// However many viewers there are, a referee is queried about a match at most a few times a second, and not at all
// without viewers.
func TestARefereeIsAskedOnceForAllWhoLook(t *testing.T) {
	t.Parallel()
	l := &liveMatch{}
	l.show(1, `{"board":["X"]}`)
	v := openFakeLeague(t, "tic_tac_toe", 4).caller(t, func(o *Options) { o.Live = l.ask })
	v.page("/leagues/fake")
	v.page("/leagues/fake/matches/R1M1")
	if n := l.asked.Load(); n != 0 {
		t.Errorf("the referee was asked %d times although nobody looks", n)
	}
	began := time.Now()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { v.page("/leagues/fake/matches/R1M2") })
	}
	all.Wait()
	if n, most := l.asked.Load(), 1+int64(time.Since(began)/minLiveInterval); n < 1 || n > most {
		t.Errorf("the referee was asked %d times, want at most %d", n, most)
	}
}

// A viewer with the newest position waits for the next move, and is answered once it is there. A viewer with an old
// stamp is answered at once.
func TestWhoHasSeenAMatchWaitsForTheNextMove(t *testing.T) {
	t.Parallel()
	l := &liveMatch{}
	l.show(1, `{"board":["X","","",""]}`)
	v := openFakeLeague(t, "tic_tac_toe", 4).caller(t, func(o *Options) { o.Live = l.ask })
	var first, same, next MatchView
	v.json("/leagues/fake/matches/R1M2", &first)
	v.json("/leagues/fake/matches/R1M2?after=another", &same)
	if first.Live.Stamp != same.Live.Stamp {
		t.Errorf("got the stamps %s and %s of the same position", first.Live.Stamp, same.Live.Stamp)
	}
	asked := l.asked.Load()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		v.json("/leagues/fake/matches/R1M2?after="+first.Live.Stamp, &next)
	}()
	for l.asked.Load() < asked+2 { // it waits, and asks again and again
		select {
		case <-answered:
			t.Fatal("the answer came before anything had changed")
		case <-time.After(10 * time.Millisecond):
		}
	}
	l.show(2, `{"board":["X","O","",""]}`)
	<-answered
	if next.Live == nil || next.Live.Turn != 2 || next.Live.Stamp == first.Live.Stamp {
		t.Errorf("got %+v, want the next move", next.Live)
	}
}

// If a referee does not answer, or answers nonsense, the page shows the match without a position.
func TestAMatchWhoseRefereeDoesNotTellIsStillShown(t *testing.T) {
	t.Parallel()
	for _, told := range []string{"", `null`, `{"board":7}`, `"` + strings.Repeat("x", 100) + `"`} {
		l := &liveMatch{}
		if told != "" {
			l.show(-5, told)
		}
		v := openFakeLeague(t, "tic_tac_toe", 4).caller(t, func(o *Options) { o.Live = l.ask })
		if text := v.page("/leagues/fake/matches/R1M2"); !strings.Contains(text, "In play") || strings.Contains(text, "<table class=\"board") {
			t.Errorf("%q: got another page", told)
		}
	}
}

// A browser follows a match in play automatically, and steps through the positions of a match that is over.
func TestAMatchIsFollowedInABrowser(t *testing.T) {
	t.Parallel()
	l := &liveMatch{}
	l.show(0, `{"board":["","","",""]}`)
	h := openFakeLeague(t, "tic_tac_toe", 4)
	server := httptest.NewServer(New(Options{Host: h, Record: h.record, Live: l.ask}))
	t.Cleanup(server.Close)
	b := webtest.Start(t)
	tab := b.Tab(t, webtest.Laptop)
	tab.Open(server.URL + "/leagues/fake/matches/R1M2")
	marks := `[...document.querySelectorAll("#boards .position:not([hidden]) td")].map((e) => e.textContent).join("") === `
	tab.Await("the empty board", marks+`""`)
	l.show(1, `{"board":["X","","",""]}`)
	tab.Await("the first move", marks+`"X"`)
	l.show(2, `{"board":["X","","","O"]}`)
	tab.Await("the second move", marks+`"XO"`)

	tab.Open(server.URL + "/leagues/fake/matches/R1M1")
	shown := `[...document.querySelectorAll("#boards .position:not([hidden]) td")].map((e) => e.textContent || ".").join("")`
	at := func(what, want string) {
		t.Helper()
		if got := webtest.Get[string](tab, shown); got != want {
			t.Errorf("%s: got %s, want %s", what, got, want)
		}
	}
	at("at first", "OXXOX.O..")
	tab.Click("[data-go=back]")
	at("a position back", "OXXOX....")
	tab.Click("[data-go=first]")
	at("the first position", ".........")
	tab.Click("[data-go=on]")
	at("a position on", ".X.......")
	webtest.Get[bool](tab, `(() => { const r = document.querySelector("#replay input"); r.value = 4; r.dispatchEvent(new Event("input", {bubbles: true})); return true; })()`)
	at("the fourth position", "OXX......")
	webtest.Get[bool](tab, `document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}))`)
	at("a position on by the keyboard", "OXXO.....")

	still := b.Tab(t, webtest.Laptop.WithoutScript())
	still.Open(server.URL + "/leagues/fake/matches/R1M1")
	if n := webtest.Get[int](still, `[...document.querySelectorAll("#boards .position")].filter((e) => e.checkVisibility()).length`); n != 7 {
		t.Errorf("without script %d of 7 positions can be seen", n)
	}
}
