package web

import "net/http"

// A page is one address of the site. The page and the API show the same view: the template renders it, and JSON
// encodes it.
type page struct {
	path     string // such as /leagues/{league}/agents; {league} is found by site.manager
	template string // templates/NAME.html, which defines "main"
	nav      string // its name in the league's navigation; "": not listed
	summary  string // its description, for openapi.json
	view     func(r *http.Request) (any, error)
	example  any      // a zero view, from which openapi.json has its schema
	scripts  []string // of assets, besides frame.js
	styles   []string // of assets, besides frame.css

	wall, wallStyles []string // the same for the projector; nil: as elsewhere
}

// An action is a change that a form on a page requests, or the API with a JSON body.
type action struct {
	path    string // of a POST, such as /leagues/{league}/pause
	summary string
	open    bool // allowed for every client; otherwise the admin's token is needed
	// do returns the address that a browser is redirected to, and the API's answer.
	do func(r *http.Request) (next string, answer any, err error)
	// body is a zero value of the API's request, for openapi.json; nil: no body. Its members are the form's fields.
	body any
}

// api is the prefix of the JSON views' paths.
const api = "/api/v1"
