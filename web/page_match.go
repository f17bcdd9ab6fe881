package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/web/replay"
)

// matchPages show the matches of a league.
type matchPages struct {
	*common
	proofs   *proofs
	glimpses *glimpses
	mistakes *mistakes
}

// pages is the page of one match, live while it is played.
func (s *matchPages) pages() []page {
	return []page{{
		path: "/leagues/{league}/matches/{match}", template: "match", summary: "A match: its messages, who waited for " +
			"whom, the board, the draw",
		view: s.pollMatch, example: MatchView{}, scripts: []string{"match.js"}, styles: []string{"board.css", "detail.css"},
	}}
}

// actions returns the action that lets any client have a match verified, if this process has the records for it.
func (s *matchPages) actions() []action {
	if s.Verify == nil {
		return nil
	}
	return []action{{
		path:    "/leagues/{league}/matches/{match}/verify",
		summary: "Verify a match: its record against the log, its result against its moves and its draw",
		open:    true, do: s.verify,
	}}
}

// match shows a match. It loads the record only if there is a result, and asks the referee only before that.
func (s *matchPages) match(r *http.Request, m Season) (MatchView, error) {
	var v MatchView
	id, found := r.PathValue("match"), false
	rec, missing := s.record(r.Context(), m, id)
	seq := m.Sequence() // before the state is read: never ahead of the view
	insider := s.insider(r, m)
	m.Read(func(st *league.State) {
		v, found = matchView(st, id, func(attempt int) (protocol.MatchRecord, bool) {
			return rec, missing == nil && rec.Attempt == attempt
		}, insider)
	})
	if !found {
		return v, notFound("There is no match " + said(id, 32) + " in this league.")
	}
	v.Sequence, v.CanVerify = seq, s.Verify != nil
	v.Proof = s.proofs.of(v.LeagueID, id)
	if removed := (*RemovedError)(nil); errors.As(missing, &removed) {
		v.Removed = removed.At
	}
	if v.Over() {
		s.complete(r.Context(), &v)
	}
	if v.InPlay() {
		v.Live = s.glimpses.look(r.Context(), m, id)
	}
	return v, nil
}

// complete adds to a match that is over: the positions, from the moves if the record is missing, the losing move, and
// the match in a sentence.
func (s *matchPages) complete(ctx context.Context, v *MatchView) {
	s.place(v)
	if v.Status == protocol.Win && len(v.Positions) > 0 {
		v.Mistake = s.mistakes.of(ctx, v.LeagueID, v.MatchID)
	}
	if v.Recorded || replay.Line(v.Positions) > 0 {
		v.Story = v.story()
	}
}

// place adds the positions of a match without positions in its messages.
func (s *matchPages) place(v *MatchView) {
	if len(v.Positions) == 0 && s.Retrace != nil && len(v.moves) > 0 {
		if views, err := s.Retrace(v.LeagueID, v.MatchID); err == nil {
			v.Positions = replay.Retraced(views, v.moves, v.A.replay(), v.B.replay())
		}
	}
	if len(v.Positions) == 0 {
		v.sheet()
	}
}

// pollMatch shows a match. A request with ?after=STAMP is a long poll, which is answered when the match has changed.
func (s *matchPages) pollMatch(r *http.Request, m Season) (any, error) {
	leave, crowded := s.viewers.enter()
	defer leave()
	patience, stop := context.WithTimeout(r.Context(), longPollTimeout)
	defer stop()
	for {
		v, err := s.match(r, m)
		if err != nil || crowded || v.Live == nil || v.Live.Stamp != r.FormValue("after") {
			m.Read(func(st *league.State) { v.Why = view.WhyOf(st, v.MatchID) })
			return v, err
		}
		select {
		case <-time.After(minLiveInterval):
		case <-patience.Done():
			return v, nil
		case <-m.Ended():
			return v, nil
		}
	}
}

// A RemovedError reports that the records of a league were removed.
type RemovedError struct{ At string }

func (e *RemovedError) Error() string { return "the records were removed at " + e.At }

// errNoRecord means that a match is not over, or that this process has no records.
var errNoRecord = errors.New("no record")

// record returns the record of a match that is over.
func (s *matchPages) record(ctx context.Context, m Season, id string) (protocol.MatchRecord, error) {
	var of string
	over := false
	m.Read(func(st *league.State) {
		match := st.Matches[id]
		over, of = match != nil && match.Outcome != nil, st.Created.LeagueID
	})
	if !over || s.Record == nil {
		return protocol.MatchRecord{}, errNoRecord
	}
	return s.Record(ctx, of, id)
}

// verify verifies a match and shows the result on its page.
func (s *matchPages) verify(r *http.Request, m Season) (string, any, error) {
	id, over := r.PathValue("match"), false
	m.Read(func(st *league.State) {
		match := st.Matches[id]
		over = match != nil && match.Outcome != nil
	})
	if !over {
		return "", nil, notFound("There is no match " + said(id, 32) + " with a result in this league.")
	}
	p, err := s.proofs.make(r, m.ID(), id, s.Verify)
	if err != nil {
		return "", nil, err
	}
	return "/leagues/" + m.ID() + "/matches/" + id + "#proof", p, nil
}
