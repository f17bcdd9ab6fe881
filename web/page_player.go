package web

import (
	"net/http"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
)

// playerPages show the players of a league, and take the orders of their owners.
type playerPages struct {
	*common
	checks *checks
	curves *ratingCurves
}

// pages is the page of one player, for its author to find errors.
func (s *playerPages) pages() []page {
	return []page{{
		path: "/leagues/{league}/players/{player}", template: "player", summary: "A player: form, results, opponents, " +
			"answer times, all its errors and what to do about them",
		view: s.player, example: PlayerView{}, styles: []string{"detail.css"},
	}}
}

// player shows one player. It reads the matches from the state in one step, and the messages afterwards, without
// blocking the league.
func (s *playerPages) player(r *http.Request, m Season) (any, error) {
	id := r.PathValue("player")
	insider := s.insider(r, m)(id)
	var v PlayerView
	var played []league.Match
	var found bool
	m.Read(func(st *league.State) {
		if v, played, found = playerView(st, m.View().Latest(st), id); !found {
			return
		}
		v.Curve = s.curves.of(st, id)
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
		if s.Record == nil || r.Context().Err() != nil {
			return protocol.MatchRecord{}, false
		}
		rec, err := s.Record(r.Context(), v.LeagueID, match.ID)
		return rec, err == nil && rec.Attempt == match.Outcome.Attempt
	}, insider)
	v.CanCheck = s.Check != nil && s.Admin != nil
	v.Mine, v.Checked = s.owns(r, m, id), s.Check != nil
	return v, nil
}

// An ownerLogin is the request body with which the owner of a player opens a session on the page.
type ownerLogin struct {
	Token string `json:"token"` // the owner key or the join key of the player
}

// actions returns the actions of a player's owner. They are marked open because they authorize requests
// themselves, from the owner as well as the admin.
func (s *playerPages) actions() []action {
	const at = "/leagues/{league}/players/{player}/"
	out := []action{
		{path: at + "own", open: true, body: ownerLogin{}, do: s.own,
			summary: "Show the owner key or the join key of a player; the session is kept in a cookie"},
		{path: at + "disown", open: true, do: s.disown, summary: "End the session of a player's owner"},
		{path: at + "withdraw", open: true, do: s.withdraw, summary: "Withdraw a player, as its owner"},
	}
	if s.Check != nil {
		out = append(out, action{path: at + "check", open: true, do: s.check,
			summary: "Check a player, as its owner; the answer names the check"})
	}
	return out
}

// own opens a session for a request with the token of a player.
func (s *playerPages) own(r *http.Request, m Season) (string, any, error) {
	id, token := r.PathValue("player"), strings.TrimSpace(r.FormValue("token"))
	if id == "" || m.Owner(token) != id {
		return "", nil, notOwner(r, m, id)
	}
	return playerPath(m, id), ownedPlayer{id, m.ID(), s.owners.Open(m.ID(), token)}, nil
}

// notOwner returns the error for a wrong token, and warns the organiser.
func notOwner(r *http.Request, m Season, id string) error {
	m.Suspect("a wrong token of "+said(id, 32)+" was refused on a page", addressIn(r))
	return &problem{Status: http.StatusUnauthorized,
		What: "This is not the owner key or the join key of " + said(id, 32) + ".",
		Do: "Use the owner_key in the agent's identity file, whole, or the join key that you were given. " +
			"An agent that registered without a key needs a join key, or the organiser's help."}
}

// disown ends the session of an owner, here and in the browser. It is idempotent.
func (s *playerPages) disown(r *http.Request, m Season) (string, any, error) {
	id := r.PathValue("player")
	if c, err := r.Cookie(leagueCookieName(r, "owner", m.ID())); err == nil {
		s.owners.Close(c.Value)
	}
	return playerPath(m, id), ownedPlayer{id, m.ID(), ""}, nil
}

// withdraw withdraws a player on behalf of its owner, or of the admin; the log records which.
func (s *playerPages) withdraw(r *http.Request, m Season) (string, any, error) {
	id := r.PathValue("player")
	if !s.insider(r, m)(id) {
		return "", nil, notOwner(r, m, id)
	}
	who := by(r)
	if !s.isAdmin(r) {
		who = strings.Replace(who, "admin", "owner of "+id, 1)
	}
	if err := m.Withdraw(r.Context(), id, who); err != nil {
		return "", nil, err
	}
	return playerPath(m, id), s.changed(m), nil
}

// check checks a player at its registered endpoint, and nowhere else.
func (s *playerPages) check(r *http.Request, m Season) (string, any, error) {
	if id := r.PathValue("player"); !s.insider(r, m)(id) {
		return "", nil, notOwner(r, m, id)
	}
	return s.checks.of(m, s.Options, checkOrder{PlayerID: r.PathValue("player")})
}

// playerPath is the address of a player's page.
func playerPath(m Season, id string) string { return "/leagues/" + m.ID() + "/players/" + id }
