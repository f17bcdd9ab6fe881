package league

import (
	"iter"
	"slices"

	"agentleague/format"
	"agentleague/protocol"
)

// Standings returns the rows of the current table.
func (s *State) Standings() []protocol.Standing { return s.Table().Rows }

// Table returns the table after the newest round.
func (s *State) Table() *Table { return s.TableAfter(s.Round) }

// TableAfter returns the table after a round, without the results of later rounds.
func (s *State) TableAfter(round int) *Table {
	rows, met := rowsAfter(s, round)
	return ranked(rows, s.name, met, s.Created.Scoring, append(places(s, round), rulesOf(s.Created.Tiebreakers)...))
}

// rowsAfter returns the unranked rows of the players after a round, and the matches that the rows count.
func rowsAfter(s *State, round int) ([]protocol.Standing, meetings) {
	players, met := s.Players(), meetings{rounds: min(max(round, 0), len(s.closed)), credit: s.CreditOf, until: round}
	if out := discounted(s); len(out) > 0 || round < len(s.closed) { // one of the past
		results := slices.DeleteFunc(s.resultsUntil(round), func(m Played) bool { return out[m.A] || out[m.B] })
		rows := tally(players, results, s.Created.Scoring)
		for i, id := range players {
			if !out[id] {
				rows[i].Points += s.CreditOf(id, round)
			}
		}
		met.of = among(slices.Values(results)).of
		return rows, met
	}
	rows := make([]protocol.Standing, len(players))
	for i, id := range players {
		rows[i] = s.rowAfter(round, id)
	}
	met.of = func(groups []level) iter.Seq[Played] { return s.Schedule.meetings(s.roundsUntil(round), groups) }
	return rows, met
}

// discounted returns the players that left the league early, so that their matches do not count.
func discounted(s *State) map[string]bool {
	if s.rules == nil || s.rules.Withdrawal.BeforeHalf == "keep" {
		return nil
	}
	left := func(id string) bool { return s.Agents[id].State == protocol.AgentShutdown }
	if !slices.ContainsFunc(s.field, left) {
		return nil
	}
	out := map[string]bool{}
	for _, id := range format.Discounted(*s.rules, bareField(s, s.Round+1, nil)) {
		out[id] = true
	}
	return out
}

// places returns the rule that orders players by the ranks that the format gives, such as a knockout; none if the
// format gives no ranks.
func places(s *State, round int) []rule {
	probe := format.Field{Players: []format.Player{{ID: "P01"}}}
	if s.rules == nil || !s.Started() || s.format().Rank(*s.rules, probe) == nil {
		return nil
	}
	places := s.format().Rank(*s.rules, bareField(s, round+1, ladderRatingsBefore(s, round+1)))
	behind := make(map[string]int, len(places))
	for _, p := range places {
		behind[p.ID] = len(places) - p.Place
	}
	return []rule{{"place", "", figure(func(s *protocol.Standing) int {
		return behind[s.PlayerID]
	})}}
}

// Standings computes the table from results without a cache. It always equals the table of a [State], which keeps
// the sums of closed rounds.
func Standings(
	players []string, name func(id string) string, matches []Played, scoring protocol.Scoring, tiebreakers []string,
) []protocol.Standing {
	return newTable(players, name, matches, scoring, tiebreakers).Rows
}

// RatedTable returns the current table of a league, with ratings.
func RatedTable(s *State) *Table {
	t := s.Table()
	t.Ratings = ratingsOf(s)
	return t
}

// Figures returns the value of each row by a tie-break rule that counts the same for all players, such as buchholz.
func Figures(s *State, rule string) func(*protocol.Standing) int {
	rows, met := rowsAfter(s, s.Round)
	return ruleOf(rule).count([]level{levelOf(rows)}, met, s.Created.Scoring)
}

// Champions returns the winners of a league: several if no rule separates them. It returns none before the end, or
// if the league was cancelled.
func Champions(s *State, t *Table) []protocol.Standing {
	if !s.Completed() || s.Cancelled {
		return nil
	}
	return t.Leaders()
}
