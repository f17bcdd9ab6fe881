package web

import "net/http"

func (s *site) leaguePages() []page {
	return []page{
		{path: "/leagues/{league}", template: "league", nav: "Live", summary: "The league as it stands: table, round in play, newest results, crosstable, points over the rounds",
			view: s.league, example: LeagueView{}, scripts: []string{"league.js"}},
	}
}

func (s *site) league(r *http.Request) (any, error) {
	m, err := s.manager(r)
	if err != nil {
		return nil, err
	}
	return s.desk(m).look(s), nil
}
