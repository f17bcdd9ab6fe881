package web

import (
	"net/http"
)

// Shelved is what the API takes to put a league away or bring it back, and what it answers.
type Shelved struct {
	ID       string `json:"league_id,omitempty"`
	Undo     string `json:"undo,omitempty"` // "true" brings it back
	Archived bool   `json:"archived,omitempty"`
}

// shelve puts a league away, or brings it back. It may be one that nobody can open.
func (s *site) shelve(r *http.Request) (string, any, error) {
	id, back := r.PathValue("league"), r.PostFormValue("undo") == "true"
	if s.Shelve == nil {
		return "", nil, notFound("Leagues are not archived here.")
	}
	if err := s.Shelve(r.Context(), id, back, by(r)); err != nil {
		return "", nil, &problem{Status: http.StatusConflict, What: said(id, 64) + " stays as it is: " + err.Error() + "."}
	}
	next := "/leagues"
	if back {
		next += "/" + id
	}
	return next, Shelved{ID: id, Archived: !back}, nil
}
