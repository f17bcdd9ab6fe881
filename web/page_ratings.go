package web

import (
	"net/http"
	"sync"

	"agentleague/league"
	"agentleague/league/seasons"
)

// ratingsView has the agents' ratings over all finished leagues of this manager, by game.
type ratingsView struct {
	Games []gameRatings `json:"games"`
}

// gameRatings are the ratings of the players of one game.
type gameRatings struct {
	seasons.GameCareers
	Name string `json:"game"`
}

// Title returns the page title.
func (ratingsView) Title() string { return "Ratings" }

// ratingsPages show the ratings over all leagues. A league's contribution is read once, when it is over.
type ratingsPages struct {
	host Host
	game func(gameType string) string
	mu   sync.Mutex
	over map[string]seasons.Period
}

func newRatingsPages(o *Options) *ratingsPages {
	return &ratingsPages{host: o.Host, game: o.Game, over: map[string]seasons.Period{}}
}

// pages is the page of ratings over all leagues of the data directory.
func (s *ratingsPages) pages() []page {
	return []page{{
		path: "/ratings", template: "ratings", example: ratingsView{}, view: s.all, styles: []string{"detail.css"},
		summary: "How strong agents are by all leagues that are over, by Glicko-2, game by game",
	}}
}

// all rates every player of every finished league, by game.
func (s *ratingsPages) all(*http.Request, Season) (any, error) {
	v := ratingsView{Games: []gameRatings{}}
	for _, game := range seasons.Careers(s.periods()) {
		for i := range game.Players {
			game.Players[i].DisplayName = nameShown(game.Players[i].DisplayName)
		}
		v.Games = append(v.Games, gameRatings{game, s.game(game.GameType)})
	}
	return v, nil
}

// periods returns the finished leagues.
func (s *ratingsPages) periods() (out []seasons.Period) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.host.Leagues() {
		p, known := s.over[id]
		if m, ok := s.host.League(id); ok && !known {
			m.Read(func(st *league.State) { p = seasons.PeriodOf(st) })
		}
		if !p.Over.IsZero() {
			s.over[id] = p
			out = append(out, p)
		}
	}
	return out
}
