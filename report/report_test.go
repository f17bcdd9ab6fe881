package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/web/figures"
)

// A playedSeason is a completed league of players with these names: the first of each pair wins, except for forfeits.
func playedSeason(t *testing.T, names []string, forfeits map[string]string) *league.State {
	t.Helper()
	s, at := league.NewState(), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	apply := func(e league.Event) {
		t.Helper()
		if err := s.Apply(at, e); err != nil {
			t.Fatal(err)
		}
	}
	apply(league.Created{
		LeagueID: "spring", GameType: "even_odd", Cycles: 1, Scoring: protocol.DefaultScoring,
		Tiebreakers: league.Tiebreakers, DrawCommitment: "c0ffee",
	})
	apply(league.Registered{Role: protocol.RoleReferee, ID: "REF01", Name: "Referee"})
	var ids []string
	for i, name := range names {
		ids = append(ids, protocol.AgentID(protocol.RolePlayer, i+1))
		apply(league.Registered{Role: protocol.RolePlayer, ID: ids[i], Name: name})
	}
	apply(league.Started{Players: ids})
	for round := range s.Schedule.Rounds() {
		apply(league.RoundOpened{Round: round + 1})
		for _, m := range s.InRound(round + 1) {
			apply(league.MatchAssigned{Match: m.ID, Referee: "REF01", Attempt: 1})
			apply(league.ResultRecorded{
				Match: m.ID, Referee: "REF01", Attempt: 1, DrawKey: "k" + m.ID, Result: result(m, forfeits),
			})
		}
		apply(league.RoundClosed{Round: round + 1})
	}
	apply(league.Completed{DrawSecret: "5ec4e7"})
	return s
}

func result(m *league.Match, forfeits map[string]string) league.Result {
	four := 4
	r := league.Result{
		Status: protocol.Win, Winner: m.A, Drawn: &four, Choices: map[string]json.RawMessage{
			m.A: json.RawMessage(`"even"`), m.B: json.RawMessage(`"odd"`),
		},
	}
	if code, ok := forfeits[m.B]; ok {
		r = league.Result{Status: protocol.TechnicalLoss, Winner: m.A, Forfeits: map[string]string{m.B: code}}
	}
	return r
}

func written(t *testing.T, s *league.State) string {
	t.Helper()
	var out bytes.Buffer
	if err := New(About{Title: "Spring", Game: s.Created.GameType}, s).Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestReportShowsTheWholeLeague(t *testing.T) {
	t.Parallel()
	text := written(t, playedSeason(t, []string{"Ada", "Ben", "Cleo", "Dan"},
		map[string]string{"P04": protocol.Timeout.Code}))
	for _, want := range []string{
		`<p class="name"><bdi>Ada</bdi></p>`, "9 points", "Who beat whom", "P01 against P04, R3M1: won", "<polyline",
		"R1M1", "R3M2",
		"it did not answer in time", "E001", "c0ffee", "5ec4e7", "kR1M1", "over 2 January 2026, 03:04 UTC",
		"color-scheme: light dark",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if !strings.Contains(text,
		"<title>Ada: 9 points</title><polyline class=\"c1\" points=\"36,288 210,198 385,107 560,16\"/>") {
		t.Error("the line of the champion is not straight from nothing to 9")
	}
	if got := strings.Count(text, "<polyline"); got != 4 {
		t.Errorf("%d lines in the chart, want 4", got)
	}
}

// The page has no script, and names nothing outside of itself.
func TestReportNeedsNothingElse(t *testing.T) {
	t.Parallel()
	text := written(t, playedSeason(t, []string{"Ada", "Ben"}, nil))
	if found := regexp.MustCompile(`(?i)<script|<link|<img|@import|url\(|https?://|src=|href=`).FindString(
		text); found != "" {
		t.Errorf("the report has %q", found)
	}
}

func TestReportEscapesWhatAgentsSay(t *testing.T) {
	t.Parallel()
	hostile := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</title></style><script>alert(2)</script>`,
		`{{.Secret}} ' onmouseover='alert(3)`,
		"\u202egnp.exe", strings.Repeat("long", 50),
	}
	text := written(t, playedSeason(t, hostile, map[string]string{"P06": `<b onclick=alert(4)>`}))
	for _, raw := range []string{"<script", "<img", "</title></style>", "' onmouseover='", "<b onclick"} {
		if strings.Contains(text, raw) {
			t.Errorf("the report has %q as it was given", raw)
		}
	}
	if want := "&lt;script&gt;alert(1)&lt;/script&gt;"; !strings.Contains(text, want) {
		t.Errorf("the name is gone; want %q", want)
	}
	if !strings.Contains(text, "<bdi>\u202egnp.exe</bdi>") {
		t.Error("a name that turns the direction of text is not kept to itself")
	}
}

func TestReportOfALeagueThatHasNotBegun(t *testing.T) {
	t.Parallel()
	s := league.NewState()
	if err := s.Apply(time.Now(), league.Created{LeagueID: "spring", GameType: "chess"}); err != nil {
		t.Fatal(err)
	}
	text := written(t, s)
	for _, want := range []string{
		"not started", "chess", "Nobody has registered yet", "revealed when the league is over",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if strings.Contains(text, "Champion") || strings.Contains(text, "<polyline") {
		t.Error("the report of nothing has a champion or a chart")
	}
}

// A large league has a page that can be read: all players in the crosstable and the chart, the leaders with a name
// beside the line.
func TestReportOfALargeLeague(t *testing.T) {
	t.Parallel()
	names := make([]string, 40)
	for i := range names {
		names[i] = fmt.Sprintf("Agent %d", i+1)
	}
	const chartGap = 16 // of package web
	r := New(About{Title: "Large"}, playedSeason(t, names, nil))
	if len(r.Cross.Rows) != 40 || r.Cross.Left != 0 || len(r.Chart.Lines) != 40 || len(r.Chart.Legend()) != figures.Named ||
		r.Rounds[0].Open {
		t.Errorf("%d rows and %d left, %d lines and %d names in the chart, rounds open: %v", len(r.Cross.Rows), r.Cross.Left,
			len(r.Chart.Lines), len(r.Chart.Legend()), r.Rounds[0].Open)
	}
	var last int
	for i, l := range r.Chart.Legend() {
		if i > 0 && l.LabelY < last+chartGap {
			t.Errorf("the label of %s at %d lies on the one before at %d", l.Name, l.LabelY, last)
		}
		last = l.LabelY
	}
}
