package sheet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
)

// A ResultRow is a match as a row of a spreadsheet.
type ResultRow struct {
	MatchID  string                 `json:"match_id"`
	Round    int                    `json:"round"`
	PlayerA  string                 `json:"player_A_id"`
	NameA    string                 `json:"player_A_name"`
	PlayerB  string                 `json:"player_B_id"`
	NameB    string                 `json:"player_B_name"`
	ChoiceA  string                 `json:"choice_A"`
	ChoiceB  string                 `json:"choice_B"`
	Drawn    protocol.Optional[int] `json:"drawn_number,omitzero"`
	Status   string                 `json:"status"` // SCHEDULED, PENDING, or how it ended
	Winner   string                 `json:"winner"`
	PointsA  int                    `json:"points_A"`
	PointsB  int                    `json:"points_B"`
	Referee  string                 `json:"referee_id"`
	Attempt  int                    `json:"attempt"`
	Proof    string                 `json:"proof"`
	Hosted   bool                   `json:"hosted"`
	Forfeits string                 `json:"forfeits"` // the forfeiting players with the reasons, in words

	UsageA *protocol.Usage `json:"usage_A,omitempty"` // of a language model, as reported by the player
	UsageB *protocol.Usage `json:"usage_B,omitempty"`
}

// resultRows lists all matches of a started league, also those that were not played yet.
func resultRows(s *league.State) []ResultRow {
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

// resultRow returns the row of one match. Its status is SCHEDULED without a referee, PENDING with one, and then
// that of the result.
func resultRow(s *league.State, m league.Match) ResultRow {
	r := ResultRow{
		MatchID: m.ID, Round: m.Round, PlayerA: m.A, NameA: s.Agents[m.A].Name, PlayerB: m.B, NameB: s.Agents[m.B].Name,
		Drawn:  protocol.DrawMember[int](s.Created.GameType, nil),
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
	r.Drawn = protocol.DrawMember(s.Created.GameType, out.Result.Drawn)
	r.ChoiceA, r.ChoiceB = moves(out, m.A), moves(out, m.B)
	r.UsageA, r.UsageB = view.UsageIn(out, m.A), view.UsageIn(out, m.B)
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

// textMost is the maximum number of characters of moves and of a code.
const textMost = 160

// moves returns a player's moves in a match.
func moves(out *league.ResultRecorded, id string) string {
	return view.Clean(strings.Join(view.MovesOf(out, id), ", "), textMost)
}

// forfeitWords returns the reason of a forfeit for people, followed by the code.
func forfeitWords(code string) string {
	words := protocol.ForfeitMeaning(view.Clean(code, textMost))
	if code == "" {
		return words
	}
	return fmt.Sprintf("%s (%s)", words, view.Clean(code, textMost))
}

// A PlayerRow is a player as a row of a spreadsheet.
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

// playerRows lists the rows of a league's table with the reasons of the players' forfeits.
func playerRows(s *league.State, t *league.Table) []PlayerRow {
	out := []PlayerRow{}
	for _, row := range t.Rows {
		out = append(out, PlayerRow{
			Rank: row.Rank, ID: row.PlayerID, Name: row.DisplayName, Played: row.Played, Won: row.Wins, Drawn: row.Draws,
			Lost:     row.Losses,
			Forfeits: row.TechnicalLosses, Reasons: ForfeitReasons(s, row.PlayerID), Points: row.Points,
			Usage: view.UsageOf(s, row.PlayerID), Rating: t.Ratings.Of(row.PlayerID),
		})
	}
	return out
}

// ForfeitReasons returns the reasons of a player's forfeits for people, with the number of each; "" if it has none.
func ForfeitReasons(s *league.State, id string) string {
	count := map[string]int{}
	for _, m := range s.MatchesOf(id) {
		if m.Outcome == nil {
			continue
		}
		if code, ok := m.Outcome.Result.Forfeits[id]; ok {
			count[forfeitWords(code)]++
		}
	}
	var reasons []string
	for _, words := range slices.Sorted(maps.Keys(count)) {
		reasons = append(reasons, fmt.Sprintf("%d × %s", count[words], words))
	}
	return strings.Join(reasons, "; ")
}
