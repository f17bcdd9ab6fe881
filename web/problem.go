package web

import (
	"net/http"
)

// A problem is the reason why a request failed, and the remedy, in words for a person.
type problem struct {
	Status int    `json:"status"`
	What   string `json:"error"`
	Do     string `json:"fix,omitempty"`
	login  bool   // a login solves it
}

func (p *problem) Error() string { return p.What }

// Title returns the page title.
func (p *problem) Title() string { return http.StatusText(p.Status) }

func notFound(what string) error { return &problem{Status: http.StatusNotFound, What: what} }

func badRequest(what, do string) error {
	return &problem{Status: http.StatusBadRequest, What: what, Do: do}
}
