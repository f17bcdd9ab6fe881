package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"agentleague/protocol"
)

// asProblem converts any error to a problem. Internal errors are only logged.
func (s *site) asProblem(r *http.Request, err error) *problem {
	var p *problem
	var refused *protocol.Error
	switch {
	case errors.As(err, &p):
		return p
	case protocol.Is(err, protocol.RateLimited) && errors.As(err, &refused):
		return &problem{Status: http.StatusTooManyRequests, What: said(refused.Detail, 400)}
	case errors.As(err, &refused):
		return &problem{Status: http.StatusConflict, What: said(refused.Detail, 400)}
	case errors.Is(err, context.Canceled):
		return &problem{Status: http.StatusServiceUnavailable, What: "The manager is shutting down.", Do: "Start it again and reload the page."}
	}
	s.Logger.Error("a page failed", slog.String("path", r.URL.Path), slog.Any("error", err))
	return &problem{Status: http.StatusInternalServerError, What: "Something went wrong on the manager's side.", Do: "See the manager's log."}
}

// fail answers with an error, as a page or, for a program, as JSON.
func (s *site) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Header.Get("Accept") == "application/json" {
		s.failJSON(w, r, err)
		return
	}
	p := s.asProblem(r, err)
	s.render(w, r, p.Status, page{template: "problem"}, p)
}

// failJSON answers a program with an error.
func (s *site) failJSON(w http.ResponseWriter, r *http.Request, err error) {
	p := s.asProblem(r, err)
	sendJSON(w, r, p.Status, p)
}
