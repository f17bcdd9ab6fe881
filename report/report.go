// Package report renders a league as one self-contained HTML page: its table, its
// rounds and their proofs.
//
//	league.State ─▶ New ─▶ Report ─▶ Write ─▶ one HTML file: styles and drawings inside, no script
//
// It can be sent by mail and opened in ten years. It holds the public data of a league
// that is over: no tokens and no addresses.
package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/web/figures"
)

//go:embed report.tmpl.html
var page string

var drawings = template.Must(template.New("figures").Funcs(figures.Functions).Parse(figures.Templates))

// layout escapes the free text of agents.
var layout = template.Must(drawings.New("report").Parse(page))

// A Report is a league as its page shows it. It is made of the log alone: the
// same log gives the same page.
type Report struct {
	ID, Name, Game, Version string
	Over                    bool
	Started, Ended          string
	Round, TotalRounds      int
	Played, TotalMatches    int
	Draws, Forfeited        int
	Referees                int
	Champions               []view.Row
	Rows                    []view.Row
	Rated                   bool // players have ratings
	Cross                   view.Crosstable
	Paired                  *view.Paired // of a league that pairs round by round
	Chart                   figures.Chart
	Style                   template.CSS // of both
	Rounds                  []round
	Forfeits                []forfeit
	Scoring                 protocol.Scoring
	Commitment, Secret      string
	Seal, Head              string
	Basis                   protocol.Basis
}

// Legend explains the bases of results.
func (Report) Legend() []view.Badge { return view.Badges() }

// matchesMost is how many matches are shown at once; the rounds of a longer league are folded up.
const matchesMost = 200

// recentMost is how many of a player's matches its row shows.
const recentMost = 8

// A round is a round and its matches.
type round struct {
	Number  int
	Matches []match
	Open    bool // shown at once
}

// A match is a match. Its key proves the draw.
type match struct {
	ID, Referee string
	A, B        contestant
	Played      bool
	Drawn       *int
	Key         string
	Marks       []*view.Badge // the basis of the result
}

// A contestant is a player in a match.
type contestant struct {
	ID, Name, Moves string
	Ending          view.Ending
	Points          int
}

// A forfeit is a technical loss and the meaning of its code.
type forfeit struct {
	Match, ID, Name, Code, Meaning string
}

// About holds the facts of a report that are not in the log.
type About struct {
	Title   string // of the league
	Game    string // its name
	Version string // of the program
}

// New makes the report of a league.
func New(about About, s *league.State) Report {
	r := Report{
		ID: s.Created.LeagueID, Name: about.Title, Game: about.Game, Version: about.Version, Over: s.Completed(),
		Started: date(s.StartedAt), Ended: date(s.CompletedAt), Round: s.Round, TotalRounds: s.TotalRounds(),
		Played: s.Recorded, TotalMatches: s.TotalMatches(), Referees: len(s.Roster(protocol.RoleReferee)),
		Scoring: s.Created.Scoring, Commitment: s.Created.DrawCommitment, Secret: s.DrawSecret,
		Seal: s.Seal, Head: s.Head().Hash, Basis: s.Basis(),
	}
	table := league.RatedTable(s)
	for n := range s.Round {
		r.Rounds = append(r.Rounds, newRound(s, n+1))
	}
	r.count()
	r.Rated = len(table.Ratings) > 0
	for i, standing := range table.Rows {
		r.Rows = append(r.Rows, view.Row{Standing: standing, Place: table.Ranks[i].String(),
			Form: view.Form(s, standing.PlayerID, recentMost), Rating: table.Ratings.Of(standing.PlayerID)})
	}
	r.Champions = r.Rows[:len(league.Champions(s, table))]
	r.Paired = view.PairedOf(s, view.RowsOf(s, table), view.FiguresMost)
	r.Cross, r.Chart, r.Style = view.CrosstableOf(s, table, view.FiguresMost),
		figures.NewChart(view.CurvesOf(s, table, view.FiguresMost)), template.CSS(figures.Style) //nolint:gosec // a file of ours
	return r
}

// Write writes the page.
func (r Report) Write(w io.Writer) error { return layout.Execute(w, r) }

// count sums the draws and forfeits of all matches.
func (r *Report) count() {
	for _, round := range r.Rounds {
		for _, m := range round.Matches {
			if m.A.Ending.Letter == "D" {
				r.Draws++
			}
			lost := m.forfeits()
			if len(lost) > 0 {
				r.Forfeited++
			}
			r.Forfeits = append(r.Forfeits, lost...)
		}
	}
}

// forfeits lists the players that forfeited the match, each with the meaning of its code.
func (m match) forfeits() (out []forfeit) {
	for _, contestant := range []contestant{m.A, m.B} {
		if contestant.Ending.Letter == "F" {
			out = append(out, forfeit{
				m.ID, contestant.ID, contestant.Name, contestant.Ending.Code, protocol.ForfeitMeaning(contestant.Ending.Code),
			})
		}
	}
	return out
}

// newRound is a round of the report. In a small league all rounds are unfolded.
func newRound(s *league.State, number int) round {
	out := round{Number: number, Open: s.Recorded <= matchesMost}
	for _, m := range s.InRound(number) {
		shown := match{ID: m.ID, Referee: m.Attempt().Referee, A: newContestant(s, m, m.A), B: newContestant(s, m, m.B)}
		if m.Outcome != nil {
			shown.Played, shown.Drawn, shown.Key, shown.Marks = true, m.Outcome.Result.Drawn, m.Outcome.DrawKey,
				view.BadgesOf(m.Proof, m.Hosted)
		}
		out.Matches = append(out.Matches, shown)
	}
	return out
}

// newContestant is one side of a match; before its end only a name.
func newContestant(s *league.State, m *league.Match, id string) contestant {
	out := contestant{ID: id, Name: s.Agents[id].Name}
	if m.Outcome != nil {
		out.Ending, out.Points = view.EndingOf(m, id), m.Points(id, s.Created.Scoring)
		out.Moves = strings.Join(view.MovesOf(m.Outcome, id), " ")
	}
	return out
}

// date is a time as the report shows it, always in UTC: the page is read elsewhere than it was made.
func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s UTC", t.UTC().Format("2 January 2006, 15:04"))
}
