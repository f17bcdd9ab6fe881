package manager

import (
	"encoding/json"
	"strings"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// A guest referee announces the result to the players after the manager has drawn. If the guest referee does not, the
// manager announces it.

// announceTimeout is how long the manager waits for a guest's announcement, and for players to acknowledge theirs.
const announceTimeout = 10 * time.Second

// dueSilent returns the jobs that announce the results of matches if their guest referees have not announced them in
// time.
func (b *broadcaster) dueSilent(
	s *league.State, round int, tell func(league.Announced, func() []string, func() broadcast),
) (due []func()) {
	for _, match := range s.InRound(round) {
		if !s.ByMoves(match) || s.Announced[league.ToldBy(match)] {
			continue
		}
		if left := remaining(announceTimeout, match.EndedAt); left > 0 {
			due = append(due, func() {
				b.once("guest "+match.ID, func() { _ = b.Node.Sleep(b.ctx, "guest "+match.ID, left) })
			})
			continue
		}
		tell(league.ToldBy(match), func() []string { return []string{match.A, match.B} },
			func() broadcast { return b.overNews(s, match) })
	}
	return due
}

// overNews returns the broadcast with the GAME_OVER of a match for each of its players, built from the log.
func (b *broadcaster) overNews(s *league.State, match *league.Match) broadcast {
	out := match.Outcome
	r := protocol.GameResult{
		Status: out.Result.Status, DrawnNumber: protocol.DrawMember(s.Created.GameType, out.Result.Drawn),
		NumberParity: protocol.DrawMember[string](s.Created.GameType, nil),
		Choices:      map[string]json.RawMessage{match.A: json.RawMessage("null"), match.B: json.RawMessage("null")},
		Reason:       "drawn by the manager from the moves that " + out.Referee + " showed",
	}
	for id, c := range out.Choices() {
		r.Choices[id] = c
	}
	if out.Result.Winner != "" {
		r.WinnerPlayerID = &out.Result.Winner
	}
	scoring := s.Created.Scoring
	return broadcast{to: func(id string) protocol.Message {
		other := match.Opponent(id)
		return &protocol.GameOver{
			Envelope: protocol.Envelope{
				MessageType: protocol.TypeGameOver, ConversationID: "conv-" + strings.ToLower(match.ID) + "-told",
				LeagueID: b.opts.LeagueID, RoundID: protocol.Round(match.Round), MatchID: match.ID,
			},
			GameType: s.Created.GameType, PlayerID: id, OpponentID: other, GameResult: r, Result: out.Result.For(id),
			Winner:      r.WinnerPlayerID,
			DrawnNumber: r.DrawnNumber, YourChoice: r.Choices[id], OpponentChoice: r.Choices[other],
			PointsEarned: out.Result.Points(id, scoring),
			Attempt:      out.Attempt, Fairness: &protocol.Fairness{Commitment: league.Commitment(out.DrawKey),
				Key: out.DrawKey},
			Score: r.Choices, Details: r.Ending(match.A),
		}
	}}
}
