package protocol

import (
	"cmp"
	"fmt"
	"net/http"
)

// A Refusal is an error response of a peer. Package dialect interprets its meaning for the refused message.
type Refusal struct {
	HTTPStatus int
	Asked      string // the method that it answers; "": unknown
	Code       int    // of JSON-RPC; 0 if the answer has none
	Name       string // of the protocol's error table, when the answer names one
	Message    string // for people
	Said       string // the beginning of the whole answer; "": the message is all
}

func (r *Refusal) Error() string { return r.Cause().Sentence("the agent") }

// Cause returns the reason of a failed call: the name of a protocol error, or else an HTTP status, or else the
// JSON-RPC code. An HTTP status takes precedence over the code, since the body is often a generic page of a web
// framework.
func (r *Refusal) Cause() Cause {
	c := Cause{Happened: "answered", Said: r.Message}
	switch {
	case r.Name != "":
		c.Happened += " " + r.Name
	case r.HTTPStatus >= http.StatusBadRequest:
		c.Happened += fmt.Sprintf(" HTTP %d", r.HTTPStatus)
		c.Said, c.Advice = cmp.Or(r.Said, r.Message), statusAdvice(r.HTTPStatus)
	case r.Code != 0:
		c.Happened += fmt.Sprintf(" with the JSON-RPC error %d", r.Code)
		c.Advice = "Find the error in the agent's own output"
	default:
		c.Happened += " with an error"
	}
	if r.Asked != "" {
		c.Happened += " to " + r.Asked
	}
	return c
}

// statusAdvice returns the remedy of an HTTP status; "": that of the kind of error.
func statusAdvice(status int) string {
	switch {
	case status >= http.StatusInternalServerError:
		return "Look at the agent's own output: its program failed, mostly by an exception"
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return "Answer POST at the path of contact_endpoint, and check the route of the method"
	}
	return ""
}
