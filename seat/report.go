package seat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"agentleague/player"
	"agentleague/protocol"
)

// What a seat is asked and told, as those who play from it read it: models,
// people, the page.

// The statuses of a seat.
const (
	YourTurn      = "your_turn"
	Waiting       = "waiting"
	Played        = "played"
	LeagueOver    = "league_over"
	Left          = "left"
	NotRegistered = "not_registered"
)

// A Report is all that the owner of a seat needs to know now.
type Report struct {
	Status   string             `json:"status" jsonschema:"your_turn, waiting, played, league_over, left or not_registered"`
	Next     string             `json:"next" jsonschema:"what to do now"`
	PlayerID string             `json:"player_id,omitempty"`
	Name     string             `json:"name,omitempty"`
	LeagueID string             `json:"league_id,omitempty"`
	Key      string             `json:"key,omitempty" jsonschema:"the secret that names this seat in every call; keep it to yourself"`
	Turn     *Turn              `json:"turn,omitempty" jsonschema:"what you are asked"`
	More     []Turn             `json:"more_turns,omitempty" jsonschema:"what you are asked besides, in other matches"`
	News     []News             `json:"news,omitempty" jsonschema:"what has happened since you were told last"`
	Standing *protocol.Standing `json:"standing,omitempty" jsonschema:"your row of the table"`
	Players  int                `json:"players,omitempty" jsonschema:"how many rows the table has"`
}

// A Turn is one question.
type Turn struct {
	TurnID      string   `json:"turn_id"`
	MatchID     string   `json:"match_id"`
	Round       int      `json:"round,omitempty"`
	Game        string   `json:"game_type"`
	OpponentID  string   `json:"opponent_id"`
	Question    string   `json:"question" jsonschema:"the kind of move that is wanted"`
	Choices     []string `json:"choices" jsonschema:"what may be played; give one of them to make_move"`
	View        any      `json:"view,omitempty" jsonschema:"what you can see of the match"`
	SecondsLeft float64  `json:"seconds_left" jsonschema:"until the fallback plays"`
	Deadline    string   `json:"deadline"`
	Refused     string   `json:"refused,omitempty" jsonschema:"why the referee did not take your last move in this turn"`
}

// A News is one thing that happened.
type News struct {
	What    string `json:"what" jsonschema:"match_over, fallback_played, too_late, complaint or league_over"`
	Text    string `json:"text"`
	MatchID string `json:"match_id,omitempty"`
	Result  string `json:"result,omitempty" jsonschema:"of a match: WIN, DRAW, LOSS or TECHNICAL_LOSS"`
	Points  int    `json:"points,omitempty" jsonschema:"that the match brought you"`
}

// report tells the owner of a seat how things are.
func (t *Seat) report(u player.Update, now time.Time) Report {
	r := Report{Status: Waiting, PlayerID: t.PlayerID(), Name: t.Name, LeagueID: t.League, Players: len(u.Table)}
	for _, row := range u.Table {
		if row.PlayerID == r.PlayerID {
			r.Standing = &row
		}
	}
	for _, e := range u.Events {
		r.News = append(r.News, t.News(e))
	}
	if u.Final != nil {
		r.Status = LeagueOver
	}
	for i, turn := range u.Turns {
		if asked := t.asked(turn, now); i == 0 {
			r.Status, r.Turn = YourTurn, &asked
		} else {
			r.More = append(r.More, asked)
		}
	}
	if r.Status == Waiting && r.PlayerID == "" {
		r.Status = NotRegistered
	}
	r.Next = t.next(r, u)
	return r
}

// next says what to do now.
func (t *Seat) next(r Report, u player.Update) string {
	switch r.Status {
	case YourTurn:
		return fmt.Sprintf(
			"Play %s with make_move (turn_id %s) within %.0f seconds; otherwise the strategy %s plays for you.",
			orList(r.Turn.Choices), r.Turn.TurnID, r.Turn.SecondsLeft, t.Fallback)
	case LeagueOver:
		return "The league is over; there is nothing left to play."
	case NotRegistered:
		return "The manager has not answered yet; it is asked every two seconds. Call wait_for_turn again."
	}
	return t.expects(r.PlayerID, u) + " Call wait_for_turn again."
}

// expects says what the seat waits for.
func (t *Seat) expects(id string, u player.Update) string {
	if u.Round == nil {
		return "The league has not started, or its next round has not been announced."
	}
	for _, m := range u.Round.Matches {
		if m.PlayerAID == id || m.PlayerBID == id {
			opponent := m.PlayerAID
			if opponent == id {
				opponent = m.PlayerBID
			}
			return fmt.Sprintf("Your match in round %d is %s, against %s.", u.Round.RoundID, protocol.Plain(m.MatchID),
				protocol.Plain(opponent))
		}
	}
	return fmt.Sprintf("You have no match in round %d.", u.Round.RoundID)
}

// orList joins choices as a sentence has them.
func orList(words []string) string {
	switch len(words) {
	case 0:
		return "a move"
	case 1:
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// asked is a turn as its owner reads it.
func (t *Seat) asked(turn player.Turn, now time.Time) Turn {
	m := turn.Match
	left := math.Floor(turn.Deadline.Sub(now).Seconds()*10) / 10
	out := Turn{
		TurnID: turn.ID, MatchID: m.ID, Round: m.Round, Game: m.Game, OpponentID: m.Opponent, Question: turn.View.Ask,
		Choices:     turn.Choices(),
		SecondsLeft: max(left, 0), Deadline: protocol.Stamp(turn.Deadline), Refused: m.Refused,
	}
	var view any
	if json.Unmarshal(turn.View.Context, &view) == nil {
		out.View = view
	}
	return out
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
		return Complaint(e.Refused)
	case e.Over != nil:
		return Over(e.Over)
	}
	return Final(e.Final, t.PlayerID())
}

// Complaint tells what a referee complains of.
func Complaint(e *protocol.GameError) News {
	text := fmt.Sprintf("The referee reports an error: %s (%s).", e.Sentence(), e.ErrorCode)
	if e.Retryable {
		text += " It asks again."
	}
	return News{What: "complaint", MatchID: protocol.Plain(e.MatchID), Text: protocol.Plain(text)}
}

// Over tells how a match ended.
func Over(m *protocol.PlayerMatch) News {
	how := map[string]string{
		protocol.Win: "You won", protocol.Draw: "You drew", protocol.Loss: "You lost",
		protocol.TechnicalLoss: "You forfeited",
	}[m.Result]
	text := fmt.Sprintf("%s %s against %s", cmp.Or(how, "The referee did not say who won"), m.MatchID, cmp.Or(m.OpponentID, "your opponent"))
	var facts []string
	if len(m.MyChoice) > 0 && string(m.MyChoice) != "null" {
		facts = append(facts, fmt.Sprintf("you played %s", m.MyChoice))
	}
	if len(m.OpponentChoice) > 0 && string(m.OpponentChoice) != "null" {
		facts = append(facts, fmt.Sprintf("they played %s", m.OpponentChoice))
	}
	if m.DrawnNumber != nil {
		facts = append(facts, fmt.Sprintf("%d was drawn", *m.DrawnNumber))
	}
	if len(facts) > 0 {
		text += ": " + strings.Join(facts, ", ")
	}
	return News{What: "match_over", MatchID: m.MatchID, Result: m.Result, Points: m.PointsEarned,
		Text: protocol.Plain(fmt.Sprintf("%s. Points: %d.", text, m.PointsEarned))}
}

// Final tells a player how the league ended.
func Final(m *protocol.LeagueCompleted, id string) News {
	text := "The league is over"
	if c := m.Champion; c.PlayerID != "" {
		text += fmt.Sprintf("; %s (%s) won with %d points", c.DisplayName, c.PlayerID, c.Points)
	}
	for _, row := range m.FinalStandings {
		if row.PlayerID == id {
			text += fmt.Sprintf("; you finished number %d of %d with %d points",
				row.Rank, len(m.FinalStandings), row.Points)
		}
	}
	return News{What: "league_over", Text: protocol.Plain(text + ".")}
}
