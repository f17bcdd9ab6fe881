package web

import (
	"context"
	"net/http"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// matchPages is the page of one match, live while it is played.
func (s *site) matchPages() []page {
	return []page{{
		path: "/leagues/{league}/matches/{match}", template: "match", summary: "A match: its messages, who waited for " +
			"whom, the board, the draw",
		view: whenMoved(s, s.match), example: MatchView{}, scripts: []string{"match.js"}, styles: []string{"detail.css"},
	}}
}

// matchActions returns the action that lets any client have a match verified, if this process has the records for it.
func (s *site) matchActions() []action {
	if s.Options.Verify == nil {
		return nil
	}
	return []action{{
		path:    "/leagues/{league}/matches/{match}/verify",
		summary: "Verify a match: its record against the log, its result against its moves and its draw",
		open:    true, do: s.verify,
	}}
}

// match shows a match. It loads the record only if there is a result, and asks the referee only before that.
func (s *site) match(r *http.Request) (any, error) {
	m, err := s.manager(r)
	if err != nil {
		return nil, err
	}
	var v MatchView
	id, found := r.PathValue("match"), false
	rec, known := s.record(r, m, id)
	seq := m.Sequence() // before the state is read: never ahead of the view
	m.Read(func(st *league.State) {
		v, found = matchView(st, id, func(attempt int) (protocol.MatchRecord, bool) {
			return rec, known && rec.Attempt == attempt
		}, insiderOf(s, r, m))
	})
	if !found {
		return nil, notFound("There is no match " + said(id, 32) + " in this league.")
	}
	v.Sequence, v.CanVerify = seq, s.Options.Verify != nil
	v.Proof = s.proofs.of(v.LeagueID, id)
	if v.InPlay() {
		v.Live = s.glimpses.look(r.Context(), m, id)
	}
	return v, nil
}

// insiderOf returns a function that reports whether a request comes from the organizer or from the owner of a player.
func insiderOf(s *site, r *http.Request, m Season) func(player string) bool {
	admin := s.isAdmin(r)
	return func(player string) bool { return admin || s.owners.owns(r, m, player) }
}

// whenMoved implements long polling: a request with ?after=STAMP is answered when the match has changed.
func whenMoved(s *site, look func(r *http.Request) (any, error)) func(r *http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		crowded := s.viewers.Add(1) > int64(s.Viewers)
		defer s.viewers.Add(-1)
		patience, stop := context.WithTimeout(r.Context(), livePatience)
		defer stop()
		for {
			v, err := look(r)
			seen, _ := v.(MatchView)
			if err != nil || crowded || seen.Live == nil || seen.Live.Stamp != r.FormValue("after") {
				return v, err
			}
			m, err := s.manager(r)
			if err != nil {
				return nil, err
			}
			select {
			case <-time.After(liveEvery):
			case <-patience.Done():
				return v, nil
			case <-m.Ended():
				return v, nil
			}
		}
	}
}

// record returns the record of a match that is over, if it is here.
func (o *Options) record(r *http.Request, m Season, id string) (rec protocol.MatchRecord, known bool) {
	var of string
	m.Read(func(st *league.State) {
		match := st.Matches[id]
		known, of = match != nil && match.Outcome != nil, st.Created.LeagueID
	})
	if !known || o.Record == nil {
		return rec, false
	}
	rec, err := o.Record(r.Context(), of, id)
	return rec, err == nil
}

// verify verifies a match and shows the result on its page.
func (s *site) verify(r *http.Request) (string, any, error) {
	m, err := s.manager(r)
	if err != nil {
		return "", nil, err
	}
	id, over := r.PathValue("match"), false
	m.Read(func(st *league.State) {
		match := st.Matches[id]
		over = match != nil && match.Outcome != nil
	})
	if !over {
		return "", nil, notFound("There is no match " + said(id, 32) + " with a result in this league.")
	}
	league := r.PathValue("league")
	p, err := s.proofs.make(r, league, id, s.Options.Verify)
	if err != nil {
		return "", nil, err
	}
	return "/leagues/" + league + "/matches/" + id + "#proof", p, nil
}
