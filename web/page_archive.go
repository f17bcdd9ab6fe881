package web

import (
	"net/http"
)

// Shelved is the API's request to archive or restore a league, and its answer.
type Shelved struct {
	ID       string `json:"league_id,omitempty"`
	Undo     string `json:"undo,omitempty"` // "true" restores it
	Archived bool   `json:"archived,omitempty"`
}

// shelve archives a league, or restores it. The league need not be openable.
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
