package rating

import "math"

// A Score counts the results of one player against another. A game is counted once: individually in Wins, Draws and
// Losses, or together with the game with swapped seats in Pairs.
//
// The two games of a pair are not independent (both may be won by the first seat), so intervals and tests treat a pair
// as one observation. Count pairs wherever seats were swapped.
type Score struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
	// Pairs counts pairs of games by the points of both: 0, ½, 1, 1½ and 2.
	Pairs [5]int `json:"pairs"`
}

// AddGame counts a single game. points are 1, ½ or 0.
func (s *Score) AddGame(points float64) {
	switch half(points) {
	case 0:
		s.Losses++
	case 1:
		s.Draws++
	default:
		s.Wins++
	}
}

// AddPair counts two games with swapped seats. Both arguments are points of the same player.
func (s *Score) AddPair(first, second float64) {
	s.Pairs[min(half(first), 2)+min(half(second), 2)]++
}

// Reversed returns the score from the opponent's side.
func (s Score) Reversed() Score {
	p := s.Pairs
	return Score{Wins: s.Losses, Draws: s.Draws, Losses: s.Wins, Pairs: [5]int{p[4], p[3], p[2], p[1], p[0]}}
}

// Games returns the number of games, two for each pair.
func (s Score) Games() int {
	games := s.Wins + s.Draws + s.Losses
	for _, n := range s.Pairs {
		games += 2 * n
	}
	return games
}

// Points is the player's total score.
func (s Score) Points() float64 {
	points := float64(s.Wins) + float64(s.Draws)/2
	for i, n := range s.Pairs {
		points += float64(i*n) / 2
	}
	return points
}

// Mean returns the player's share of all points, or ½ without a game.
func (s Score) Mean() float64 {
	if s.Games() == 0 {
		return 0.5
	}
	return s.Points() / float64(s.Games())
}

// half converts points to half points, as an exact integer.
func half(points float64) int { return max(int(math.Round(2*points)), 0) }

// A sample counts the observations of each of the evenly spaced shares 0 … 1:
// three shares for single games, five for pairs.
type sample []float64

// samples returns the pairs and the single games as separate samples, without empty ones.
func (s Score) samples() (out []sample) {
	pairs, games := make(sample, 5), sample{float64(s.Losses), float64(s.Draws), float64(s.Wins)}
	for i, n := range s.Pairs {
		pairs[i] = float64(n)
	}
	for _, each := range []sample{pairs, games} {
		if each.size() > 0 {
			out = append(out, each)
		}
	}
	return out
}

// size is how many observations there are.
func (p sample) size() (n float64) {
	for _, count := range p {
		n += count
	}
	return n
}

// share is the i-th share.
func (p sample) share(i int) float64 { return float64(i) / float64(len(p)-1) }

// games returns the number of games in one observation.
func (p sample) games() float64 { return float64(len(p)-1) / 2 }

// spread returns the sum of the squared deviations of all observations from a mean score between 0 and 1.
func (p sample) spread(mean float64) (sum float64) {
	for i, count := range p {
		d := p.share(i) - mean
		sum += count * d * d
	}
	return sum
}
