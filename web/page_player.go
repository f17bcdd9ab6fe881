package web

import (
	"net/http"

	"agentleague/league"
	"agentleague/protocol"
)

// playerPages is the page of one player, for its author to find errors.
func (s *site) playerPages() []page {
	return []page{{
		path: "/leagues/{league}/players/{player}", template: "player", summary: "A player: form, results, opponents, " +
			"answer times, all its errors and what to do about them",
		view: s.player, example: PlayerView{}, styles: []string{"detail.css"},
	}}
}

// player shows one player. It reads the matches from the state in one step, and the messages afterwards, without
// blocking the league.
func (s *site) player(r *http.Request) (any, error) {
	m, err := s.manager(r)
	if err != nil {
		return nil, err
	}
	id := r.PathValue("player")
	insider := insiderOf(s, r, m)(id)
	var v PlayerView
	var played []league.Match
	var found bool
	m.Read(func(st *league.State) {
		if v, played, found = playerView(st, m.View().Latest(st), id); !found {
			return
		}
		v.Playing = st.Started() && !st.Completed()
		v.CanLeave = !st.Completed() && st.Agents[id].State != protocol.AgentShutdown
		if s.isAdmin(r) {
			v.Endpoint = said(st.Agents[id].Endpoint, 200)
		}
	})
	if !found {
		return nil, notFound("There is no player " + said(id, 32) + " in this league.")
	}
	v.recorded(played, func(match league.Match) (protocol.MatchRecord, bool) {
		if s.Options.Record == nil || r.Context().Err() != nil {
			return protocol.MatchRecord{}, false
		}
		rec, err := s.Options.Record(r.Context(), v.LeagueID, match.ID)
		return rec, err == nil && rec.Attempt == match.Outcome.Attempt
	}, insider)
	v.CanCheck = s.Options.Check != nil && s.Options.Admin != nil
	v.Mine, v.Checked = s.owners.owns(r, m, id), s.Options.Check != nil
	return v, nil
}
