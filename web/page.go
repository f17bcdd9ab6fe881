package web

import (
	"net"
	"net/http"
	"sync/atomic"
)

// A page is one address of the site. The page and the API show the same view: the template renders it, and JSON
// encodes it.
type page struct {
	path     string                                       // such as /leagues/{league}/agents
	template string                                       // templates/NAME.html, which defines "main"
	nav      string                                       // its name in the league's navigation; "": not listed
	summary  string                                       // its description, for openapi.json
	view     func(r *http.Request, m Season) (any, error) // m: the league of the path; nil: the path has none
	example  any                                          // a zero view, from which openapi.json has its schema
	scripts  []string                                     // of assets, besides frame.js
	styles   []string                                     // of assets, besides frame.css

	wall, wallStyles []string // the same for the projector; nil: as elsewhere
}

// An action is a change that a form on a page requests, or the API with a JSON body.
type action struct {
	path    string // of a POST, such as /leagues/{league}/pause
	summary string
	open    bool // allowed for every client; otherwise the admin's token is needed
	closed  bool // the league of the path need not be open
	// do executes the action. next is the address to which a browser is redirected, answer the JSON answer of the API.
	do func(r *http.Request, m Season) (next string, answer any, err error)
	// body is a zero value of the API's request, for openapi.json; nil: no body. Its members are the form's fields.
	body any
}

// api is the prefix of the JSON views' paths.
const api = "/api/v1"

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

// An audience counts the clients that wait for live updates. It is safe for concurrent use.
type audience struct {
	most int64
	here atomic.Int64
}

// enter counts one more client until leave is called. full reports that there are too many clients.
func (a *audience) enter() (leave func(), full bool) {
	return func() { a.here.Add(-1) }, a.here.Add(1) > a.most
}

// by returns the actor of a request, for the log.
func by(r *http.Request) string { return "admin via page " + addressIn(r) }

// addressIn returns the address of the connection of a request.
func addressIn(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return host
}
