package web

import (
	"sync"

	"agentleague/league"
	"agentleague/web/figures"
)

// ratingCurves caches the ratings of leagues after some of their closed rounds. It is safe for concurrent use.
type ratingCurves struct {
	mu sync.Mutex
	by map[string]ratedRounds // by league
}

// ratedRounds are the ratings of a league after the rounds at, up to the closed round.
type ratedRounds struct {
	closed, recorded int
	at               []int
	ratings          []league.Ratings
}

const (
	ratingPoints  = 24    // points of a curve
	ratingMatches = 5_000 // of a league with curves; more would take seconds
	ratingLeagues = 64    // the size of the cache
)

// of returns the curve of a player's rating; nil if there is none. The caller holds the read lock of the state.
func (c *ratingCurves) of(s *league.State, id string) *figures.RatingCurve {
	if s.TotalMatches() > ratingMatches {
		return nil
	}
	var points []figures.RatedRound
	all := c.rounds(s)
	for i, round := range all.at {
		if r := all.ratings[i].Of(id); r != nil {
			points = append(points, figures.RatedRound{Round: round, Rating: *r})
		}
	}
	return figures.NewRatingCurve(points)
}

// rounds returns the ratings of a league, from the cache if no round has closed since.
func (c *ratingCurves) rounds(s *league.State) ratedRounds {
	c.mu.Lock()
	defer c.mu.Unlock()
	closed := s.Round
	if s.RoundOpen {
		closed--
	}
	had, known := c.by[s.Created.LeagueID]
	if known && had.closed == closed && had.recorded == s.Recorded {
		return had
	}
	had = ratedRounds{closed: closed, recorded: s.Recorded}
	for n, by := 1, 1+closed/ratingPoints; n <= closed; n += by {
		round := min(n+by-1, closed)
		had.at, had.ratings = append(had.at, round), append(had.ratings, league.RatingsAfter(s, round))
	}
	if len(c.by) >= ratingLeagues {
		clear(c.by)
	}
	c.by[s.Created.LeagueID] = had
	return had
}
