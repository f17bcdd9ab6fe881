package seat

import (
	"cmp"
	"fmt"
	"strings"

	"agentleague/player"
	"agentleague/protocol"
)

// A News is one thing that happened.
type News struct {
	What    string `json:"what"` // match_over, fallback_played, too_late, complaint or league_over
	Text    string `json:"text"`
	MatchID string `json:"match_id,omitempty"`
	Result  string `json:"result,omitempty"` // of a match: WIN, DRAW, LOSS or TECHNICAL_LOSS
	Points  int    `json:"points,omitempty"` // that the match brought you
}

// News is an event as the owner of the seat reads it.
func (t *Seat) News(e player.Event) News {
	switch {
	case e.Ending != nil && e.Ending.How == player.Fallback:
		return News{What: "fallback_played", MatchID: e.Ending.Match.ID,
			Text: fmt.Sprintf("Nobody played in %s in time, so the strategy %s played %s for you.", e.Ending.Turn, t.Fallback,
				e.Ending.Move)}
	case e.Ending != nil:
		return News{
			What: "too_late", MatchID: e.Ending.Match.ID, Text: fmt.Sprintf("Nobody played in %s in time.", e.Ending.Turn),
		}
	case e.Refused != nil:
		return complaint(e.Refused)
	case e.Over != nil:
		return Over(e.Over)
	}
	return Final(e.Final, t.PlayerID())
}

// complaint describes a complaint of a referee.
func complaint(e *protocol.GameError) News {
	text := fmt.Sprintf("The referee reports an error: %s (%s).", e.Sentence(), e.ErrorCode)
	if e.Retryable {
		text += " It asks again."
	}
	return News{What: "complaint", MatchID: protocol.Plain(e.MatchID), Text: protocol.Plain(text)}
}

// Over describes the end of a match.
func Over(m *protocol.PlayerMatch) News {
	how := map[string]string{
		protocol.Win: "You won", protocol.Draw: "You drew", protocol.Loss: "You lost",
		protocol.TechnicalLoss: "You forfeited",
	}[m.Result]
	text := fmt.Sprintf("%s %s against %s", cmp.Or(how, "The referee did not say who won"), m.MatchID,
		cmp.Or(m.OpponentID, "your opponent"))
	var facts []string
	if len(m.MyChoice) > 0 && string(m.MyChoice) != "null" {
		facts = append(facts, "you played "+playedText(m.MyChoice))
	}
	if len(m.OpponentChoice) > 0 && string(m.OpponentChoice) != "null" {
		facts = append(facts, "they played "+playedText(m.OpponentChoice))
	}
	if n := m.DrawnNumber.Value; n != nil {
		facts = append(facts, fmt.Sprintf("%d was drawn", *n))
	}
	if len(facts) > 0 {
		text += ": " + strings.Join(facts, ", ")
	}
	return News{What: "match_over", MatchID: m.MatchID, Result: m.Result, Points: m.PointsEarned,
		Text: protocol.Plain(fmt.Sprintf("%s. Points: %d.", text, m.PointsEarned))}
}

// Final describes the end of the league for a player.
func Final(m *protocol.LeagueCompleted, id string) News {
	text := "The league is over"
	if m.Cancelled {
		text = "The league was cancelled"
	}
	if m.Champion.PlayerID != "" {
		text += fmt.Sprintf("; %s won with %d points", winners(m), m.Champion.Points)
	}
	for _, row := range m.FinalStandings {
		if row.PlayerID == id {
			text += fmt.Sprintf("; you finished number %d of %d with %d points",
				row.Rank, len(m.FinalStandings), row.Points)
		}
	}
	return News{What: "league_over", Text: protocol.Plain(text + ".")}
}

// winners names the champion, and the players that share the first place.
func winners(m *protocol.LeagueCompleted) string {
	var names []string
	for _, c := range append([]protocol.Champion{m.Champion}, m.CoChampions...) {
		names = append(names, fmt.Sprintf("%s (%s)", protocol.Quoted(c.DisplayName), c.PlayerID))
	}
	last := len(names) - 1
	return strings.TrimPrefix(strings.Join(names[:last], ", ")+" and "+names[last], " and ")
}
