package cli

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"agentleague/game/catalog"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/web"
)

//go:embed report.tmpl.html
var reportPage string

// reportTemplate escapes whatever agents say of themselves.
var reportTemplate = template.Must(web.Figures().New("report").Parse(reportPage))

// A report is a league as its page shows it. It is made of the log alone: the
// same log gives the same page.
type report struct {
	ID, Name, Game, Version string
	Over                    bool
	Started, Ended          string
	Round, TotalRounds      int
	Played, TotalMatches    int
	Draws, Forfeited        int
	Referees                int
	Champions               []protocol.Standing
	Rows                    []reportRow
	Cross                   web.Crosstable
	Chart                   web.Chart
	Style                   template.CSS // of both
	Rounds                  []reportRound
	Forfeits                []reportForfeit
	Scoring                 protocol.Scoring
	Commitment, Secret      string
	Seal, Head              string
	Basis                   protocol.Basis
}

// Legend explains what results rest on.
func (report) Legend() []web.Badge { return web.Badges() }

// A reportRow is a row of the table, with how the player did from match to match.
type reportRow struct {
	protocol.Standing
	Recent []web.Ending // the newest matches, oldest first
}

// matchesMost is how many matches are shown at once; the rounds of a longer league are folded up.
const matchesMost = 200

// recentMost is how many of a player's matches its row shows.
const recentMost = 8

// A reportRound is a round and its matches.
type reportRound struct {
	Number  int
	Matches []reportMatch
	Open    bool // shown at once
}

// A reportMatch is a match. Its key proves the draw.
type reportMatch struct {
	ID, Referee string
	A, B        reportSide
	Played      bool
	Drawn       *int
	Key         string
	Mark        *web.Badge // what the result rests on
}

// A reportSide is a player in a match.
type reportSide struct {
	ID, Name, Moves string
	Ending          web.Ending
	Points          int
}

// A reportForfeit is a technical loss, and what it means.
type reportForfeit struct {
	Match, ID, Name, Code, Meaning string
}

// writeReport writes the page of a league.
func writeReport(w io.Writer, name string, s *league.State) error {
	return reportTemplate.Execute(w, newReport(name, s))
}

func newReport(name string, s *league.State) report {
	r := report{
		ID: s.Created.LeagueID, Name: name, Game: gameName(s.Created.GameType), Version: version(), Over: s.Completed(),
		Started: date(s.StartedAt), Ended: date(s.CompletedAt), Round: s.Round, TotalRounds: s.Schedule.Rounds(),
		Played: s.Recorded, TotalMatches: s.Schedule.Matches(), Referees: len(s.Roster(protocol.RoleReferee)),
		Scoring: s.Created.Scoring, Commitment: s.Created.DrawCommitment, Secret: s.DrawSecret,
		Seal: s.Seal, Head: s.Head().Hash, Basis: s.Basis(),
	}
	table := s.Standings()
	if first, others := league.Champions(table, s.Results(), s.Created.Scoring, s.Created.Tiebreakers); s.Completed() && len(table) > 0 {
		r.Champions = append([]protocol.Standing{first}, others...)
	}
	for n := range s.Round {
		r.Rounds = append(r.Rounds, newReportRound(s, n+1))
	}
	r.count()
	for _, row := range table {
		r.Rows = append(r.Rows, reportRow{row, web.Form(s, row.PlayerID, recentMost)})
	}
	r.Cross, r.Chart, r.Style = web.NewCrosstable(s, table), web.NewChart(s, table), web.FigureStyle()
	return r
}

// count adds up what the matches say.
func (r *report) count() {
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

func (m reportMatch) forfeits() (out []reportForfeit) {
	for _, side := range []reportSide{m.A, m.B} {
		if side.Ending.Letter == "F" {
			out = append(out, reportForfeit{m.ID, side.ID, side.Name, side.Ending.Code, protocol.ForfeitMeaning(side.Ending.Code)})
		}
	}
	return out
}

func newReportRound(s *league.State, number int) reportRound {
	out := reportRound{Number: number, Open: s.Recorded <= matchesMost}
	for _, m := range s.InRound(number) {
		view := reportMatch{ID: m.ID, Referee: m.Attempt().Referee, A: newReportSide(s, m, m.A), B: newReportSide(s, m, m.B)}
		if m.Outcome != nil {
			view.Played, view.Drawn, view.Key, view.Mark = true, m.Outcome.Result.Drawn, m.Outcome.DrawKey, web.BadgeOf(m.Proof)
		}
		out.Matches = append(out.Matches, view)
	}
	return out
}

func newReportSide(s *league.State, m *league.Match, id string) reportSide {
	side := reportSide{ID: id, Name: s.Agents[id].Name}
	if m.Outcome == nil {
		return side
	}
	side.Ending = web.EndingOf(m, id)
	side.Points = m.Points(id, s.Created.Scoring)
	side.Moves = movesOf(m.Outcome, id)
	return side
}

// movesOf tells what a player played in a match.
func movesOf(o *league.ResultRecorded, id string) string {
	var out []string
	for _, move := range o.Moves {
		if move.PlayerID == id {
			out = append(out, word(move.Move))
		}
	}
	if choice, ok := o.Result.Choices[id]; ok && len(out) == 0 {
		out = append(out, word(choice))
	}
	return strings.Join(out, " ")
}

// word is a move without the quotes of a text.
func word(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

func gameName(gameType string) string {
	rules, err := catalog.Lookup(gameType)
	if err != nil {
		return gameType
	}
	return rules.Info().Name
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s UTC", t.UTC().Format("2 January 2006, 15:04"))
}
