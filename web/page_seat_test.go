package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// A stool is a seat of a test.
type stool struct {
	now    SeatNow
	change chan struct{}
	played []string
	left   bool
	fresh  bool // there is always time left
}

func (*stool) Key() string  { return "seat_SECRET" }
func (*stool) ID() string   { return "P01" }
func (*stool) Name() string { return nasty }
func (s *stool) Leave(context.Context) (bool, error) {
	gone := s.left
	s.left = true
	return gone, nil
}
func (s *stool) Wait(ctx context.Context, after uint64) SeatNow {
	if after >= s.now.Seq {
		select {
		case <-ctx.Done():
		case <-s.change:
			s.now.Seq++
		}
	}
	now := s.now
	if s.fresh {
		now.Turns = slices.Clone(now.Turns)
		for i := range now.Turns {
			now.Turns[i].Deadline = time.Now().Add(20 * time.Second)
		}
	}
	return now
}
func (s *stool) Play(turn string, move json.RawMessage) error {
	if turn != "t1" {
		return errors.New("this turn is no longer open " + nasty)
	}
	s.played = append(s.played, string(move))
	return nil
}

func seatOptions(s *stool) func(*Options) {
	return func(o *Options) {
		o.Seat = func(_ context.Context, _, name, _ string) (Seat, error) { return s, nil }
		o.Seated = func(league, key string) (Seat, bool) { return s, key == s.Key() && league == fakeLeagueID }
	}
}

func TestSeatIsPlayedFromAPage(t *testing.T) {
	t.Parallel()
	s := &stool{change: make(chan struct{}, 1), now: SeatNow{Seq: 3, Turns: []Turn{{
		ID: "t1", MatchID: "R1M1", Opponent: "P02", Ask: "place_mark", Deadline: time.Now().Add(20 * time.Second),
		Refused: "no " + nasty,
		Options: []json.RawMessage{json.RawMessage("1"), json.RawMessage("8")},
		Context: json.RawMessage(`{"board":["X","","O","O","X","X","O","X",""],"mark":"X"}`),
	}}, News: []SeatNews{{Seq: 2, Text: nasty, MatchID: "R1M1", Result: "WIN"}}}}
	v := openFakeLeague(t, "tic_tac_toe", 1).caller(t, seatOptions(s))
	if text := v.page("/leagues/fake/seat"); !strings.Contains(text, "Take a seat") {
		t.Error("no seat is offered")
	}
	for _, bad := range []string{"", "display_name=%20", "display_name=" + strings.Repeat("x", 65)} {
		if w := v.do(http.MethodPost, "/leagues/fake/seat", bad); w.Code != http.StatusBadRequest {
			t.Errorf("%q: %d", bad, w.Code)
		}
	}
	w := v.do(http.MethodPost, "/leagues/fake/seat", "display_name=Dana")
	cookie := w.Result().Cookies()[0]
	if w.Code != http.StatusSeeOther || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode ||
		cookie.Value != "seat_SECRET" {
		t.Fatalf("got %d, %+v", w.Code, cookie)
	}
	var view seatView
	v.json("/leagues/fake/seat", &view)
	text := v.page("/leagues/fake/seat")
	for _, never := range []string{"seat_SECRET", "<script>alert", "<img src=x", "\u202e"} {
		if strings.Contains(text, never) || strings.Contains(v.page(api+"/leagues/fake/seat"), never) {
			t.Errorf("the page shows %q", never)
		}
	}
	if !view.Seated || len(view.Turns) != 1 || view.Turns[0].Mark != "X" || view.Turns[0].Left < 15 ||
		view.Turns[0].Board == nil {
		t.Fatalf("got %+v", view)
	}
	if strings.Count(text, `<button type="submit" name="move"`) != 2 ||
		!strings.Contains(text, `value="8" aria-label="row 3, column 3, empty" data-key="9"`) {
		t.Error("the free cells cannot be clicked")
	}
	if w := v.do(http.MethodPost, "/leagues/fake/seat/play", "turn=t1&move=8"); w.Code != http.StatusSeeOther ||
		strings.Join(s.played, " ") != "8" {
		t.Errorf("got %d, played %q", w.Code, s.played)
	}
	if w := v.do(http.MethodPost, "/leagues/fake/seat/play", "turn=t0&move=8"); w.Code != http.StatusConflict ||
		strings.Contains(w.Body.String(), "<script>alert") {
		t.Errorf("a turn that is over: %d", w.Code)
	}
	if w := v.do(http.MethodPost, "/leagues/fake/seat/play", "turn=t1&move={"); w.Code != http.StatusBadRequest {
		t.Errorf("no move: %d", w.Code)
	}
	if w := v.do(http.MethodPost, api+"/leagues/fake/seat/play", `{"turn":"t1","move":"1"}`); w.Code != http.StatusOK ||
		strings.Join(s.played, " ") != "8 1" {
		t.Errorf("by the API: %d %s, played %q", w.Code, w.Body, s.played)
	}
	s.change <- struct{}{}
	v.json("/leagues/fake/seat?after=3", &view)
	if view.Seq != 4 {
		t.Errorf("who waited got %d", view.Seq)
	}
	v.do(http.MethodPost, "/leagues/fake/seat/leave", "")
	if !s.left || len(v.cookies) != 1 {
		t.Error("the seat was not left, or its owner cannot come back")
	}
	if v.do(http.MethodPost, "/leagues/fake/seat/leave", ""); len(v.cookies) != 0 {
		t.Error("the key of a seat that is gone is kept")
	}
	if w := v.do(http.MethodPost, "/leagues/fake/seat/play", "turn=t1&move=8"); w.Code != http.StatusUnauthorized {
		t.Errorf("without a seat: %d", w.Code)
	}
}

func TestSeatIsNoOtherSitesBusiness(t *testing.T) {
	t.Parallel()
	s := &stool{change: make(chan struct{}, 1)}
	v := openFakeLeague(t, "even_odd", 1).caller(t, seatOptions(s))
	for _, path := range []string{"/leagues/fake/seat", "/leagues/fake/seat/play", "/leagues/fake/seat/leave"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://league.test:8000"+path,
			strings.NewReader("display_name=x&turn=t1&move=1"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Origin", "http://evil.test")
		w := httptest.NewRecorder()
		v.site.ServeHTTP(w, r)
		if w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if len(s.played) > 0 || s.left {
		t.Error("another site has played")
	}
}

func TestChoicesOfAnyGame(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, "even_odd", 3)
	s := &stool{change: make(chan struct{}, 1), now: SeatNow{Seq: 1, Turns: []Turn{
		{ID: "t1", Ask: "choose_parity", Deadline: time.Now().Add(time.Minute),
			Options: []json.RawMessage{json.RawMessage(`"even"`), json.RawMessage(`"odd"`)}, Context: json.RawMessage(`{}`)},
		{ID: "t2", Ask: "bid", Deadline: time.Now().Add(-time.Minute), Options: []json.RawMessage{
			json.RawMessage(`{"amount":3}`),
		}, Context: json.RawMessage(`{"pot":7,"auth_token":"tok_x_y"}`)},
		{ID: "t3", Ask: "move", Options: []json.RawMessage{json.RawMessage(`"a1"`)},
			Context: json.RawMessage(`{"board":["a","b","c","d"]}`)},
	}}}
	v := h.caller(t, seatOptions(s))
	v.cookies[leagueCookieName(httptest.NewRequest(http.MethodGet, "http://league.test:8000/", nil), "seat", fakeLeagueID)] =
		"seat_SECRET"
	text := v.page("/leagues/fake/seat")
	for _, want := range []string{
		`value="&#34;even&#34;" data-key="1"><bdi>even</bdi>`, `value="{&#34;amount&#34;:3}"`, `<dt>pot</dt><dd><bdi>7</bdi></dd>`,
		`<bdi>amount 3</bdi>`,
		`<table class="board squares n2 t1" aria-label=`, `<bdi>a1</bdi>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(text, "tok_x") {
		t.Error("a token is shown")
	}
}
