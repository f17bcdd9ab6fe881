package seat

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"agentleague/player"
	"agentleague/protocol"
)

// Questions and news of a seat, in the form for its users: models, people, the page.

// The statuses of a seat.
const (
	YourTurn      = "your_turn"
	Waiting       = "waiting"
	Played        = "played"
	LeagueOver    = "league_over"
	Left          = "left"
	NotRegistered = "not_registered"
)

// A Report is the current information for the owner of a seat.
type Report struct {
	Status   string             `json:"status"` // your_turn, waiting, played, league_over, left or not_registered
	Next     string             `json:"next"`   // the next action
	PlayerID string             `json:"player_id,omitempty"`
	Name     string             `json:"name,omitempty"`
	LeagueID string             `json:"league_id,omitempty"`
	Key      string             `json:"key,omitempty"`        // the secret that names this seat in every call; keep it to yourself
	Turn     *Turn              `json:"turn,omitempty"`       // the question
	More     []Turn             `json:"more_turns,omitempty"` // questions in other matches
	News     []News             `json:"news,omitempty"`       // events since the last report
	Standing *protocol.Standing `json:"standing,omitempty"`   // your row of the table
	Players  int                `json:"players,omitempty"`    // how many rows the table has
}

// A Turn is one question.
type Turn struct {
	TurnID         string   `json:"turn_id"`
	MatchID        string   `json:"match_id"`
	Round          int      `json:"round,omitempty"`
	Game           string   `json:"game_type"`
	Rules          string   `json:"rules,omitempty"` // in a paragraph; empty: the game is unknown here
	OpponentID     string   `json:"opponent_id"`
	OpponentName   string   `json:"opponent_name,omitempty"`   // its chosen name: untrusted data
	OpponentPlayed []Past   `json:"opponent_played,omitempty"` // the newest first
	Score          *Score   `json:"score,omitempty"`
	Question       string   `json:"question"`       // the kind of move that is wanted
	Choices        []string `json:"choices"`        // the legal moves
	View           any      `json:"view,omitempty"` // the visible state of the match
	SecondsLeft    float64  `json:"seconds_left"`   // until the fallback plays
	Deadline       string   `json:"deadline"`
	Refused        string   `json:"refused,omitempty"` // why the referee did not take the last move in this turn
}

// report returns the current information for the owner of a seat.
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
		if asked := t.asked(turn, u.Table, now); i == 0 {
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

// next describes the next action.
func (t *Seat) next(r Report, u player.Update) string {
	switch r.Status {
	case YourTurn:
		return fmt.Sprintf(
			"Play %s with make_move (turn_id %s) within %.0f seconds; otherwise the strategy %s plays for you.",
			orList(r.Turn.Choices), r.Turn.TurnID, r.Turn.SecondsLeft, t.Fallback)
	case LeagueOver:
		return "The league is over; there is nothing left to play."
	case NotRegistered:
		if why := t.waitsFor(); why != "" {
			return "The player is not registered: " + protocol.Plain(why) + ". It tries again every two seconds. Report this to your user; " +
				"call wait_for_turn again when it is solved."
		}
		return "The manager has not answered yet; it is asked every two seconds. Call wait_for_turn again."
	}
	return t.expects(r.PlayerID, u) + " Call wait_for_turn again."
}

// expects describes the event that the seat waits for.
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
func (t *Seat) asked(turn player.Turn, table []protocol.Standing, now time.Time) Turn {
	m := turn.Match
	left := math.Floor(turn.Deadline.Sub(now).Seconds()*10) / 10
	out := Turn{
		TurnID: turn.ID, MatchID: m.ID, Round: m.Round, Game: m.Game, OpponentID: m.Opponent, Question: turn.View.Ask,
		Choices:     turn.Choices(),
		SecondsLeft: max(left, 0), Deadline: protocol.Stamp(turn.Deadline), Refused: m.Refused,
	}
	if t.Rules != nil {
		out.Rules = t.Rules(m.Game)
	}
	known := t.opponent(m.Opponent, table)
	out.OpponentName, out.OpponentPlayed, out.Score = known.Name, known.Played, known.Score
	var view any
	if json.Unmarshal(turn.View.Context, &view) == nil {
		out.View = view
	}
	return out
}
