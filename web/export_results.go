package web

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
)

// A ResultRow is a match in the form for a spreadsheet.
type ResultRow struct {
	MatchID  string             `json:"match_id"`
	Round    int                `json:"round"`
	PlayerA  string             `json:"player_A_id"`
	NameA    string             `json:"player_A_name"`
	PlayerB  string             `json:"player_B_id"`
	NameB    string             `json:"player_B_name"`
	ChoiceA  string             `json:"choice_A"`
	ChoiceB  string             `json:"choice_B"`
	Drawn    protocol.Told[int] `json:"drawn_number,omitzero"`
	Status   string             `json:"status"` // SCHEDULED, PENDING, or how it ended
	Winner   string             `json:"winner"`
	PointsA  int                `json:"points_A"`
	PointsB  int                `json:"points_B"`
	Referee  string             `json:"referee_id"`
	Attempt  int                `json:"attempt"`
	Proof    string             `json:"proof"`
	Hosted   bool               `json:"hosted"`
	Forfeits string             `json:"forfeits"` // the forfeiting players with the reasons, in words

	UsageA *protocol.Usage `json:"usage_A,omitempty"` // of a language model, as reported by the player
	UsageB *protocol.Usage `json:"usage_B,omitempty"`
}

// ResultRows lists all matches of a started league, including those to come.
func ResultRows(s *league.State) []ResultRow {
	out := []ResultRow{}
	for round := 1; round <= s.Schedule.Rounds(); round++ {
		for n := range s.Schedule.Round(round) {
			if m, ok := view.MatchOf(s, protocol.MatchID(round, n+1)); ok {
				out = append(out, resultRow(s, *m))
			}
		}
	}
	return out
}

// resultRow returns the line of one match in the results, played or not: an unassigned match is SCHEDULED, a match at
// a referee PENDING.
func resultRow(s *league.State, m league.Match) ResultRow {
	r := ResultRow{
		MatchID: m.ID, Round: m.Round, PlayerA: m.A, NameA: s.Agents[m.A].Name, PlayerB: m.B, NameB: s.Agents[m.B].Name,
		Drawn:  protocol.ToldIn[int](s.Created.GameType, nil),
		Status: "SCHEDULED", Referee: m.Attempt().Referee, Attempt: m.Attempt().Attempt, Proof: m.Proof, Hosted: m.Hosted,
	}
	if len(m.Assigned) > 0 {
		r.Status = "PENDING"
	}
	out := m.Outcome
	if out == nil {
		return r
	}
	r.Status, r.Winner, r.Referee, r.Attempt = out.Result.Status, out.Result.Winner, out.Referee, out.Attempt
	r.Drawn = protocol.ToldIn(s.Created.GameType, out.Result.Drawn)
	r.ChoiceA, r.ChoiceB = movesOf(out, m.A), movesOf(out, m.B)
	r.UsageA, r.UsageB = usageIn(out, m.A), usageIn(out, m.B)
	r.PointsA, r.PointsB = m.Points(m.A, s.Created.Scoring), m.Points(m.B, s.Created.Scoring)
	var lost []string
	for _, id := range []string{m.A, m.B} {
		if code, ok := out.Result.Forfeits[id]; ok {
			lost = append(lost, id+": "+forfeitWords(code))
		}
	}
	r.Forfeits = strings.Join(lost, "; ")
	return r
}

// forfeitWords returns the reason of a forfeit in words, with the code.
func forfeitWords(code string) string {
	words := protocol.ForfeitMeaning(shown(code))
	if code == "" {
		return words
	}
	return fmt.Sprintf("%s (%s)", words, shown(code))
}

// WriteResults writes all matches of a game as CSV. Draws have a column only in games with draws.
func WriteResults(out io.Writer, game string, rows []ResultRow) error {
	lines := [][]string{
		{"match_id", "round", "player_A_id", "player_A_name", "player_B_id", "player_B_name", "choice_A", "choice_B",
			"drawn_number", "status", "winner", "points_A", "points_B", "referee_id", "attempt", "proof", "hosted", "forfeits"},
	}
	var usages [][]*protocol.Usage
	draws := game == protocol.EvenOdd
	for _, r := range rows {
		drawn := ""
		if n := r.Drawn.Value; n != nil {
			draws, drawn = true, strconv.Itoa(*n)
		}
		lines = append(lines, []string{
			r.MatchID, strconv.Itoa(r.Round), r.PlayerA, NoFormula(r.NameA), r.PlayerB, NoFormula(r.NameB),
			NoFormula(r.ChoiceA), NoFormula(r.ChoiceB), drawn,
			r.Status, r.Winner, strconv.Itoa(r.PointsA), strconv.Itoa(r.PointsB), r.Referee, strconv.Itoa(r.Attempt), r.Proof,
			strconv.FormatBool(r.Hosted), NoFormula(r.Forfeits),
		})
		usages = append(usages, []*protocol.Usage{r.UsageA, r.UsageB})
	}
	if !draws {
		leaveOut(lines, "drawn_number")
	}
	return csv.NewWriter(out).WriteAll(withUsage(lines, []string{"_A", "_B"}, usages))
}

// leaveOut removes a column from a table with a header line.
func leaveOut(lines [][]string, column string) {
	at := slices.Index(lines[0], column)
	for i := range lines {
		lines[i] = slices.Delete(lines[i], at, at+1)
	}
}

// A PlayerRow is a player in the form for a spreadsheet.
type PlayerRow struct {
	Rank     int    `json:"rank"`
	ID       string `json:"player_id"`
	Name     string `json:"display_name"`
	Played   int    `json:"played"`
	Won      int    `json:"won"`
	Drawn    int    `json:"drawn"`
	Lost     int    `json:"lost"`
	Forfeits int    `json:"forfeits"` // of the lost ones
	Reasons  string `json:"reasons"`  // of the forfeits, with how often
	Points   int    `json:"points"`

	Usage  *protocol.Usage  `json:"usage,omitempty"` // of a language model, as reported by the player
	Rating *protocol.Rating `json:"rating,omitempty"`
}

// PlayerRows lists the table of a league with the reasons of its players' forfeits.
func PlayerRows(s *league.State, t *league.Table) []PlayerRow {
	out := []PlayerRow{}
	for _, row := range t.Rows {
		count := map[string]int{}
		for _, m := range s.MatchesOf(row.PlayerID) {
			if m.Outcome == nil {
				continue
			}
			if code, ok := m.Outcome.Result.Forfeits[row.PlayerID]; ok {
				count[forfeitWords(code)]++
			}
		}
		var reasons []string
		for _, words := range slices.Sorted(maps.Keys(count)) {
			reasons = append(reasons, fmt.Sprintf("%d × %s", count[words], words))
		}
		out = append(out, PlayerRow{
			Rank: row.Rank, ID: row.PlayerID, Name: row.DisplayName, Played: row.Played, Won: row.Wins, Drawn: row.Draws,
			Lost:     row.Losses,
			Forfeits: row.TechnicalLosses, Reasons: strings.Join(reasons, "; "), Points: row.Points,
			Usage: usageOf(s, row.PlayerID), Rating: t.Ratings.Of(row.PlayerID),
		})
	}
	return out
}

// WritePlayers writes the players for a spreadsheet.
func WritePlayers(out io.Writer, rows []PlayerRow) error {
	var usages [][]*protocol.Usage
	lines := [][]string{append(
		[]string{"rank", "player_id", "display_name", "played", "won", "drawn", "lost", "forfeits", "reasons", "points"},
		ratingHeads...)}
	for _, r := range rows {
		line := []string{strconv.Itoa(r.Rank), r.ID, NoFormula(r.Name)}
		for _, n := range []int{r.Played, r.Won, r.Drawn, r.Lost, r.Forfeits} {
			line = append(line, strconv.Itoa(n))
		}
		line = append(line, NoFormula(r.Reasons), strconv.Itoa(r.Points))
		lines = append(lines, append(line, ratingCells(r.Rating)...))
		usages = append(usages, []*protocol.Usage{r.Usage})
	}
	return csv.NewWriter(out).WriteAll(withUsage(lines, []string{""}, usages))
}
