// Package sheet exports the tables of a league: as CSV for a spreadsheet, as JSON for a program.
//
//	league.State ─▶ Standings, Results, Players ─▶ Sheet ─▶ WriteCSV, Object
package sheet

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
)

// A Sheet is a table of a league. It does not share memory with the state that it was made from.
type Sheet struct {
	name  string // of the file, and of the rows in JSON
	rows  any
	lines func() [][]string // the heading, then a line for each row
	round *int              // up to which results are counted; nil: not part of the object
}

// WriteCSV writes the table for a spreadsheet.
func (s Sheet) WriteCSV(out io.Writer) error { return csv.NewWriter(out).WriteAll(s.lines()) }

// Object returns the table of a league as a JSON object.
func (s Sheet) Object(league string) map[string]any {
	out := map[string]any{"league_id": league, s.name: s.rows}
	if s.round != nil {
		out["round"] = *s.round
	}
	return out
}

// Standings returns the table after a round.
func Standings(round int, rows []view.Row) Sheet {
	return Sheet{"standings", rows, func() [][]string { return standingLines(rows) }, &round}
}

// Results returns all matches of a league, also those that were not played yet.
func Results(s *league.State) Sheet {
	game, rows := s.Created.GameType, resultRows(s)
	return Sheet{"results", rows, func() [][]string { return resultLines(game, rows) }, nil}
}

// Players returns the players of a league with the reasons of their forfeits.
func Players(s *league.State, t *league.Table) Sheet {
	rows := playerRows(s, t)
	return Sheet{"players", rows, func() [][]string { return playerLines(rows) }, nil}
}

// standingLines returns the table for a spreadsheet.
func standingLines(rows []view.Row) [][]string {
	lines := [][]string{append(
		[]string{"rank", "player_id", "display_name", "played", "wins", "draws", "losses", "technical_losses", "points"},
		ratingHeads...)}
	paired := slices.ContainsFunc(rows, func(r view.Row) bool { return r.Paired != nil })
	if paired {
		lines[0] = append(lines[0], pairedHeads...)
	}
	for _, r := range rows {
		line := []string{strconv.Itoa(r.Rank), r.PlayerID, NoFormula(r.DisplayName)}
		line = append(line, numbers(r.Played, r.Wins, r.Draws, r.Losses, r.TechnicalLosses, r.Points)...)
		line = append(line, ratingCells(r.Rating)...)
		if paired {
			line = append(line, pairedCells(r.Paired)...)
		}
		lines = append(lines, line)
	}
	return lines
}

// pairedHeads are the columns of a league that pairs round by round; the opponents are ids by round.
var pairedHeads = []string{"seed", "byes", "rests", "credit", "buchholz", "sonneborn_berger", "opponents", "ladder_rating", "rating_deviation"}

// pairedCells returns the cells of a row under pairedHeads. The two cells with the rating of a ladder are empty in
// other formats.
func pairedCells(p *view.PairedRow) []string {
	if p == nil {
		return make([]string, len(pairedHeads))
	}
	cells := append(numbers(p.Seed, p.Byes, p.Rests, p.Credit, p.Buchholz),
		strconv.FormatFloat(p.Sonneborn, 'f', -1, 64), strings.Join(p.Opponents, " "), "", "")
	if p.Deviation > 0 {
		copy(cells[len(cells)-2:], numbers(p.LadderRate, p.Deviation))
	}
	return cells
}

// resultLines returns all matches of a game for a spreadsheet. Draws have a column only in games with draws.
func resultLines(game string, rows []ResultRow) [][]string {
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
	return withUsage(lines, []string{"_A", "_B"}, usages)
}

// leaveOut removes a column, by its heading, from a table whose first line has the headings.
func leaveOut(lines [][]string, column string) {
	at := slices.Index(lines[0], column)
	for i := range lines {
		lines[i] = slices.Delete(lines[i], at, at+1)
	}
}

// playerLines returns the players for a spreadsheet.
func playerLines(rows []PlayerRow) [][]string {
	var usages [][]*protocol.Usage
	lines := [][]string{append(
		[]string{"rank", "player_id", "display_name", "played", "won", "drawn", "lost", "forfeits", "reasons", "points"},
		ratingHeads...)}
	for _, r := range rows {
		line := append([]string{strconv.Itoa(r.Rank), r.ID, NoFormula(r.Name)}, numbers(r.Played, r.Won, r.Drawn, r.Lost, r.Forfeits)...)
		line = append(line, NoFormula(r.Reasons), strconv.Itoa(r.Points))
		lines = append(lines, append(line, ratingCells(r.Rating)...))
		usages = append(usages, []*protocol.Usage{r.Usage})
	}
	return withUsage(lines, []string{""}, usages)
}

// numbers returns the cells of counts.
func numbers(counts ...int) (cells []string) {
	for _, n := range counts {
		cells = append(cells, strconv.Itoa(n))
	}
	return cells
}

// ratingHeads are the columns that ratings add to a table, in this order; programs read them by name.
var ratingHeads = []string{"rating", "rating_low", "rating_high", "rated_matches"}

// ratingCells returns a rating's cells for a spreadsheet, empty where a value is unknown.
func ratingCells(r *protocol.Rating) []string {
	out := make([]string, len(ratingHeads))
	if r == nil {
		return out
	}
	out[0], out[3] = strconv.Itoa(r.Rating), strconv.Itoa(r.Matches)
	if r.Low != nil && r.High != nil {
		out[1], out[2] = strconv.Itoa(*r.Low), strconv.Itoa(*r.High)
	}
	return out
}

// usageNames are the columns of a usage in a spreadsheet.
var usageNames = []string{"model", "model_moves", "model_fallbacks", "model_requests", "input_tokens", "cached_tokens", "output_tokens",
	"model_ms", "cost_usd"}

// usageCells returns the cells of a usage in these columns; all empty for nil.
func usageCells(u *protocol.Usage) []string {
	if u == nil {
		return make([]string, len(usageNames))
	}
	cost := ""
	if usd, known := u.CostUSD(); known {
		cost = strconv.FormatFloat(usd, 'f', -1, 64)
	}
	return []string{
		NoFormula(u.Model), strconv.Itoa(u.Moves), strconv.Itoa(u.Fallbacks), strconv.Itoa(u.Requests), strconv.Itoa(u.InputTokens),
		strconv.Itoa(u.CachedTokens), strconv.Itoa(u.OutputTokens), strconv.Itoa(u.LatencyUS / 1000), cost,
	}
}

// withUsage adds usage columns to the lines of a table, if there is any usage. The first line has the headings.
// usages has one list per line; the n-th usage of a line gets columns whose headings end in endings[n].
func withUsage(lines [][]string, endings []string, usages [][]*protocol.Usage) [][]string {
	told := func(of []*protocol.Usage) bool {
		return slices.ContainsFunc(of, func(u *protocol.Usage) bool { return u != nil })
	}
	if !slices.ContainsFunc(usages, told) {
		return lines
	}
	for i, ending := range endings {
		for _, name := range usageNames {
			lines[0] = append(lines[0], name+ending)
		}
		for n, of := range usages {
			lines[n+1] = append(lines[n+1], usageCells(of[i])...)
		}
	}
	return lines
}

// NoFormula escapes a text that a spreadsheet would interpret as a formula.
func NoFormula(text string) string {
	if strings.ContainsAny(text[:min(len(text), 1)], "=+-@") {
		return "'" + text
	}
	return text
}
