package seasons

import (
	"cmp"
	"math"
	"slices"
	"time"

	"agentleague/league"
	"agentleague/rating"
)

// A Career is an agent's rating over all leagues of a data directory in which it played one game, by Glicko-2.
type Career struct {
	Rank        int     `json:"rank"`
	DisplayName string  `json:"display_name"` // in the newest of its leagues
	Rating      int     `json:"rating"`
	Low         int     `json:"low"` // the ends of the 95 % interval
	High        int     `json:"high"`
	Deviation   float64 `json:"deviation"`
	Volatility  float64 `json:"volatility"`
	Leagues     int     `json:"leagues"`
	Matches     int     `json:"matches"` // that were played to their end
	Last        string  `json:"last_league"`
}

// GameCareers lists the careers of all players of one game, the strongest first.
type GameCareers struct {
	GameType string   `json:"game_type"`
	Leagues  int      `json:"leagues"`
	Players  []Career `json:"players"`
}

// A Period is the results of a finished league as one rating period of its players' careers.
type Period struct {
	LeagueID string
	GameType string
	Over     time.Time // when it was; zero: it is not, and counts for nothing

	names        map[string]string    // of its players, by identity
	observations []league.Observation // between those
}

// PeriodOf converts a league into a period; an unfinished league gives an empty one. Agents are identified by
// their keys, and agents without a key by their names, as in a [Series].
func PeriodOf(s *league.State) Period {
	p := Period{LeagueID: s.Created.LeagueID, GameType: s.Created.GameType, Over: s.CompletedAt, names: map[string]string{}}
	if p.Over.IsZero() {
		return p
	}
	who := map[string]string{}
	for _, id := range s.Players() {
		a := s.Agents[id]
		who[id] = league.Identity(a.Key, a.Name)
		p.names[who[id]] = a.Name
	}
	for _, o := range league.RatedObservations(s) {
		o.A, o.B = who[o.A], who[o.B]
		p.observations = append(p.observations, o)
	}
	return p
}

// Careers computes the ratings of all players, by game. Each league is one rating period, in the order of their ends:
// its games are rated together against the ratings before it. The deviation of a player that did not take part grows.
func Careers(periods []Period) []GameCareers {
	periods = slices.DeleteFunc(slices.Clone(periods), func(p Period) bool { return p.Over.IsZero() })
	slices.SortFunc(periods, func(a, b Period) int {
		return cmp.Or(cmp.Compare(a.GameType, b.GameType), a.Over.Compare(b.Over), cmp.Compare(a.LeagueID, b.LeagueID))
	})
	out := []GameCareers{}
	for len(periods) > 0 {
		game := periods[0].GameType
		end := slices.IndexFunc(periods, func(p Period) bool { return p.GameType != game })
		if end < 0 {
			end = len(periods)
		}
		out = append(out, GameCareers{GameType: game, Leagues: end, Players: careersIn(periods[:end])})
		periods = periods[end:]
	}
	return out
}

// A career accumulates the results of one player for a [Career]; now is the current rating, unrounded.
type career struct {
	Career
	now rating.Glicko
}

// careersIn computes the careers of the players in periods, which are all of one game.
func careersIn(periods []Period) []Career {
	of := map[string]*career{}
	for _, p := range periods {
		for who, name := range p.names {
			if of[who] == nil {
				of[who] = &career{now: rating.NewGlicko()}
			}
			of[who].DisplayName, of[who].Last = name, p.LeagueID
			of[who].Leagues++
		}
		games := gamesOf(p, of)
		for who, c := range of {
			c.now = c.now.After(games[who])
			c.Matches += len(games[who])
		}
	}
	out := []Career{}
	for _, c := range of {
		out = append(out, c.rounded())
	}
	slices.SortFunc(out, func(a, b Career) int {
		return cmp.Or(cmp.Compare(b.Rating, a.Rating), cmp.Compare(a.Deviation, b.Deviation),
			cmp.Compare(a.DisplayName, b.DisplayName))
	})
	for i := range out {
		out[i].Rank = i + 1
	}
	return out
}

// gamesOf lists the games of each player in period p, with the opponents' ratings before p.
func gamesOf(p Period, of map[string]*career) map[string][]rating.Game {
	games := map[string][]rating.Game{}
	for _, o := range p.observations {
		share := o.Points / float64(o.Games)
		for range o.Games {
			games[o.A] = append(games[o.A], rating.Game{Opponent: of[o.B].now, Points: share})
			games[o.B] = append(games[o.B], rating.Game{Opponent: of[o.A].now, Points: 1 - share})
		}
	}
	return games
}

// rounded returns the career with its rating and interval as integers.
func (c *career) rounded() Career {
	whole := func(x float64) int { return int(math.Round(x)) }
	low, high := c.now.Interval()
	out := c.Career
	out.Rating, out.Low, out.High = whole(c.now.Rating), whole(low), whole(high)
	out.Deviation, out.Volatility = math.Round(10*c.now.Deviation)/10, math.Round(1e6*c.now.Volatility)/1e6
	return out
}
