package duel

import (
	"crypto/sha256"
	"encoding/json"
	"math"
	"slices"
	"time"

	"agentleague/game"
	"agentleague/protocol"
	"agentleague/rating"
)

// A Tally is the interim result of a series from the first contestant's side.
type Tally struct {
	Score    rating.Score
	Seats    [2]Count          // its games by the seat that it had: the first moves first where that matters
	Forfeits [2]int            // of each contestant; a game that both forfeit counts as a draw
	Why      [2]string         // why each forfeited last
	Moves    [2]Pace           // how long the answers of each took
	Games    int               // that were played to their end
	Distinct int               // of them, that differ from one another
	Usage    [2]protocol.Usage // of language models, by contestant
	SPRT     *Sequential       // if the series was to stop early
	Stopped  string            // why it stopped before its last game; "": it did not
}

// A Count is how some games ended.
type Count struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

// Add counts one game with the player's points: 1, ½ or 0.
func (c *Count) Add(points float64) {
	switch points {
	case 1:
		c.Wins++
	case 0:
		c.Losses++
	default:
		c.Draws++
	}
}

// Results returns the counts of both seats together.
func (t Tally) Results() Count {
	a, b := t.Seats[0], t.Seats[1]
	return Count{a.Wins + b.Wins, a.Draws + b.Draws, a.Losses + b.Losses}
}

// Sequential is the state of a sequential test.
type Sequential struct {
	LLR     float64        `json:"llr"`
	Lower   float64        `json:"lower"`
	Upper   float64        `json:"upper"`
	Verdict rating.Verdict `json:"verdict"`
}

// A Pace summarizes the answer times of a contestant, network time included.
type Pace struct {
	Answers       int
	P50, P99, Max time.Duration
}

// A ledger counts the games of a series.
type ledger struct {
	tally  Tally
	took   [2][]float32               // milliseconds
	streak [2]int                     // games in a row that each forfeited
	seen   map[[sha256.Size]byte]bool // the different games
}

// add counts a game and returns the points of the first contestant, which had the given seat.
func (l *ledger) add(rec protocol.MatchRecord, ids [2]string, seat int, opening []game.Move) float64 {
	points := pointsOf(rec, ids[0])
	l.tally.Games++
	if l.seen == nil {
		l.seen = map[[sha256.Size]byte]bool{}
	}
	l.seen[identity(rec, opening)] = true
	l.tally.Distinct = len(l.seen)
	l.tally.Seats[seat].Add(points)
	for i, id := range ids {
		if _, forfeited := rec.Result.Forfeits[id]; forfeited {
			l.tally.Forfeits[i]++
			l.streak[i]++
			l.tally.Why[i] = sentence(rec.WhyForfeited(id))
		} else {
			l.streak[i] = 0
		}
		l.tally.Usage[i] = l.tally.Usage[i].Plus(rec.Usage[id])
		for _, t := range rec.Tries {
			if t.PlayerID == id && t.Outcome == protocol.Answered && !t.Void && t.Asked != protocol.TypeGameInvitation {
				l.took[i] = append(l.took[i], float32(t.AgentMS))
			}
		}
	}
	return points
}

// identity returns a hash that is equal for two games with the same players in the same seats, the same moves and the
// same result.
func identity(rec protocol.MatchRecord, opening []game.Move) [sha256.Size]byte {
	text, _ := json.Marshal([]any{rec.PlayerAID, opening, rec.Moves, rec.Result}) // all of it has been JSON before
	return sha256.Sum256(text)
}

// pointsOf returns the player's points from a game: 1, ½ or 0.
func pointsOf(rec protocol.MatchRecord, id string) float64 {
	switch winner := rec.Result.WinnerPlayerID; {
	case winner == nil:
		return 0.5
	case *winner == id:
		return 1
	}
	return 0
}

// sum returns the current tally. With paces it sorts all answer times, O(n log n).
func (l *ledger) sum(paces bool) Tally {
	t := l.tally
	for i := range t.Moves {
		if t.Moves[i].Answers = len(l.took[i]); paces {
			t.Moves[i] = paceOf(slices.Clone(l.took[i]))
		}
	}
	return t
}

// paceOf sums up answers, in milliseconds.
func paceOf(took []float32) Pace {
	if len(took) == 0 {
		return Pace{}
	}
	slices.Sort(took)
	at := func(share float64) time.Duration {
		i := int(math.Ceil(share*float64(len(took)))) - 1
		return time.Duration(float64(took[max(i, 0)]) * float64(time.Millisecond)).Round(time.Microsecond)
	}
	return Pace{Answers: len(took), P50: at(0.5), P99: at(0.99), Max: at(1)}
}
