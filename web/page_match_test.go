package web

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"

	"agentleague/protocol"
)

func TestMatchPageTellsTheWholeConversation(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, "even_odd", 3)
	v := h.caller(t, nil)
	var m MatchView
	v.json("/leagues/fake/matches/R1M1", &m)
	text := v.page("/leagues/fake/matches/R1M1")

	rec := h.records["R1M1"]
	if len(m.Timeline) != len(rec.Transcript)+2 || m.Timeline[0].Type != "START_MATCH" ||
		m.Timeline[len(m.Timeline)-1].To != "manager" {
		t.Fatalf("got %d lines, want the transcript between the order and the report", len(m.Timeline))
	}
	for i, l := range m.Timeline {
		if got := strings.Count(text, fmt.Sprintf(`data-step="%d" data-type="%s" data-from="%s" data-to="%s"`, i+1, l.Type,
			l.From, l.To)); got != 1 {
			t.Errorf("line %d is on the page %d times", i+1, got)
		}
	}
	for _, l := range m.Timeline[1:5] {
		if want := protocol.TypeGameInvitation; l.Type == string(want) &&
			(l.Try == nil || l.Try.Outcome != protocol.Answered) {
			t.Errorf("an invitation has no try: %+v", l)
		}
	}
	fault := m.Timeline[9]
	if fault.Type != "GAME_ERROR" || fault.Fault == nil || fault.Fault.Code != "E004" ||
		!strings.Contains(text, html.EscapeString(fault.Fault.Fix)) {
		t.Errorf("got %+v, want the error and what to do about it", fault)
	}
	if len(m.Stages) != 2 || m.Stages[1].First != m.B.ID || m.Stages[1].Last != m.A.ID ||
		!strings.Contains(text, html.EscapeString(m.Named(m.B.ID+" waited 1.0 s for "+m.A.ID))) {
		t.Errorf("got %+v", m.Stages)
	}
	if m.Draw == nil || *m.Draw.Number != 10 || m.Draw.Key != rec.Fairness.Key || m.Draw.Secret != "" ||
		!strings.Contains(text, rec.Fairness.Commitment) {
		t.Errorf("got %+v", m.Draw)
	}
}

func TestNothingThatAgentsSayIsMoreThanText(t *testing.T) {
	t.Parallel()
	for _, players := range []int{1, 3} {
		v := openFakeLeague(t, "even_odd", players).caller(t, nil)
		paths := []string{"/leagues/fake/players/P01", "/leagues/fake/agents"}
		if players > 1 {
			paths = append(paths, "/leagues/fake/matches/R1M1", "/leagues/fake/players/P02")
		}
		for _, path := range paths {
			for _, at := range []string{path, api + path} {
				text := v.page(at)
				for _, never := range []string{
					"<script>alert", "<img src=x", "\u202e", "\x00", "\x1b", "tok_player", "secret of another make", "tok_admin",
				} {
					if strings.Contains(text, never) {
						t.Errorf("%s with %d players shows %q", at, players, never)
					}
				}
			}
		}
	}
}

func TestNothingOfAnOpenMatchIsShown(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, "even_odd", 4)
	h.records["R1M2"] = played("even_odd", "R1M2", "P03", "P04") // its referee has it already
	v := h.caller(t, nil)
	var m MatchView
	v.json("/leagues/fake/matches/R1M2", &m)
	if m.Status != "PENDING" || len(m.Timeline)+len(m.Stages)+len(m.Positions) > 0 || m.Draw != nil ||
		m.A.Moves != "" || m.Recorded {
		t.Errorf("got %+v", m)
	}
	text := v.page("/leagues/fake/matches/R1M2")
	if strings.Contains(text, "even (") || strings.Contains(text, h.records["R1M2"].Fairness.Key) || !strings.Contains(text, "In play") {
		t.Errorf("the page of an open match says too much")
	}
	for _, match := range h.asked {
		if match == "R1M2" {
			t.Error("the record of an open match was asked for")
		}
	}
	v.json("/leagues/fake/matches/R2M1", &m)
	if m.Status != "SCHEDULED" {
		t.Errorf("a match to come: %q", m.Status)
	}
	for _, none := range []string{"R9M1", "R1M9", "x", "R0M0", "R1M-1"} {
		if w := v.do(http.MethodGet, "/leagues/fake/matches/"+none, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", none, w.Code)
		}
	}
}

func TestMatchWithoutARecordIsToldFromTheLog(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, "even_odd", 3)
	clear(h.records)
	v := h.caller(t, nil)
	var m MatchView
	v.json("/leagues/fake/matches/R1M1", &m)
	if m.Recorded || m.Status != protocol.Win || m.B.Ending != protocol.Win || *m.B.Points != 3 || m.B.Moves != "even" ||
		len(m.Timeline) != 2 {
		t.Errorf("got %+v", m)
	}
	if !strings.Contains(v.page("/leagues/fake/matches/R1M1"), "is not here yet") {
		t.Error("the page does not say that the record is missing")
	}
}

func TestMatchPageNamesTheRemovalOfTheRecords(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, "even_odd", 3)
	h.removed = &RemovedError{At: "2026-01-02T03:04:05Z"}
	v := h.caller(t, nil)
	page := v.page("/leagues/fake/matches/R1M1")
	if !strings.Contains(page, "were removed at 2026-01-02T03:04:05Z; this page shows") || strings.Contains(page, "data-unrecorded") {
		t.Error("the page waits for a record that was removed")
	}
}

func TestRecordOfAnotherAttemptIsNotTaken(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, "even_odd", 3)
	rec := h.records["R1M1"]
	rec.Attempt = 2
	h.records["R1M1"] = rec
	var m MatchView
	h.caller(t, nil).json("/leagues/fake/matches/R1M1", &m)
	if m.Recorded {
		t.Error("the record of an attempt that does not count is shown")
	}
}

func TestBoardIsShownMoveByMove(t *testing.T) {
	t.Parallel()
	v := openFakeLeague(t, "tic_tac_toe", 3).caller(t, nil)
	var m MatchView
	v.json("/leagues/fake/matches/R1M1", &m)
	if len(m.Positions) != 7 {
		t.Fatalf("got %d positions, want 7: one before each of six moves, and the end", len(m.Positions))
	}
	for i, p := range m.Positions {
		if p.Turn != i || p.End != (i == 6) || len(p.Seen) != 1 || p.Seen[0].Board.Width != 3 {
			t.Errorf("position %d: got %+v", i, p)
		}
	}
	if last := m.Positions[6].Seen[0].Board; fmt.Sprint(last.Line, last.New) != "[0 3 6] [6]" {
		t.Errorf("the end: got %+v", last)
	}
	if text := v.page("/leagues/fake/matches/R1M1"); strings.Count(text, `<table class="board squares n3 t1"`) != 7 {
		t.Error("not every position is on the page")
	}
}

func TestMatchIsVerifiedByAButton(t *testing.T) {
	t.Parallel()
	h := openFakeLeague(t, "even_odd", 4)
	var asked []string
	v := h.caller(t, func(o *Options) {
		o.Verify = func(_ context.Context, league, match string) (p Proof, err error) {
			asked = append(asked, league+" "+match)
			p.Add(protocol.Pass, "The journal", "fine")
			p.Add(protocol.Fail, "The record", nasty)
			return p, nil
		}
	})
	if strings.Contains(v.page("/leagues/fake/matches/R1M1"), `id="proof"`) {
		t.Error("a proof that nobody has made")
	}
	w := v.do(http.MethodPost, "/leagues/fake/matches/R1M1/verify", "")
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/leagues/fake/matches/R1M1#proof" {
		t.Errorf("got %d to %s", w.Code, w.Header().Get("Location"))
	}
	if text := v.page("/leagues/fake/matches/R1M1"); !strings.Contains(text, "Something differs.") ||
		strings.Contains(text, "<script>alert") {
		t.Error("the page does not tell what differs")
	}
	if w := v.do(http.MethodPost, "/leagues/fake/matches/R1M2/verify", ""); w.Code != http.StatusNotFound ||
		fmt.Sprint(asked) != "[fake R1M1]" {
		t.Errorf("an open match: %d, verified %v", w.Code, asked)
	}
}
