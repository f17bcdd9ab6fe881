package web

import (
	"net/http"

	"agentleague/internal/roster"
	"agentleague/league"
	"agentleague/web/attendance"
)

// rosterPages show the organizer the class of a league. The names of the students are nobody else's.
type rosterPages struct{ *common }

// pages is the page of a league's roster.
func (s *rosterPages) pages() []page {
	return []page{{path: "/leagues/{league}/roster", template: "roster", summary: "The students of a class and their agents; for the admin",
		view: s.roster, example: attendance.View{}, scripts: []string{"league.js", "roster.js"}, styles: []string{"run.css", "roster.css"}}}
}

// roster shows each student with the state of its agent, and the orders that help.
func (s *rosterPages) roster(r *http.Request, m Season) (any, error) {
	if err := s.onlyAdmin(r); err != nil {
		return nil, err
	}
	list, err := s.Roster(m.ID())
	if err != nil {
		return nil, err
	}
	look, facts := s.look(m), roster.Facts{Health: map[string]league.Health{}, Refusals: m.Refusals()}
	for _, row := range look.Standings {
		facts.Health[row.PlayerID] = m.Health(row.PlayerID)
	}
	var v attendance.View
	m.Read(func(st *league.State) {
		v = attendance.New(look.LeagueHead, look.Sequence, look.Missing, st, list.Students(st, facts))
	})
	return v, nil
}

// A resting is the API's request to keep a player out of the next rounds.
type resting struct {
	PlayerID string `json:"player_id"`
	Rounds   int    `json:"rounds"` // 0 ends its rest
}
