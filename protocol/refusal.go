package protocol

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
)

// A Refusal is an error that a peer gave as its answer.
type Refusal struct {
	HTTPStatus int
	Code       int
	Name       string // of the protocol's error table, when the answer names one
	Message    string

	said string // all that it said, for judging it; "": the message
}

func (r *Refusal) Error() string {
	if r.Name != "" {
		return "the agent answered " + r.Name + ": " + r.Message
	}
	return "the agent answered with an error: " + r.Message
}

// refusal reads what can be read of a peer's error.
func refusal(status int, raw json.RawMessage) *Refusal {
	out := &Refusal{HTTPStatus: status, Message: clip(strings.TrimSpace(string(raw)), 200), said: clip(string(raw), 4000)}
	var f fields
	if json.Unmarshal(raw, &f) != nil || f == nil {
		return out
	}
	_ = json.Unmarshal(f["code"], &out.Code)
	for _, member := range []string{"error_name", "error_description", "error_message", "message"} {
		text, said := f.text(member)
		if k, known := KindNamed(text); known && out.Name == "" {
			out.Name = k.Name
		}
		if said {
			out.Message = clip(text, 200)
		}
	}
	if out.Name == "" && saysAny(out.text(), "rate limit", "too many requests") {
		out.Name = RateLimited.Name
	}
	for _, path := range []string{"context.detail", "data.context.detail"} {
		var detail string
		if json.Unmarshal(f.get(path), &detail) == nil && detail != "" {
			out.Message = clip(detail, 200)
		}
	}
	return out
}

// text returns what the peer said, in the form in which words are looked for in it.
func (r *Refusal) text() string {
	return strings.ReplaceAll(strings.ToLower(r.Complaint()), "_", " ")
}

// Complaint returns all that the peer said.
func (r *Refusal) Complaint() string { return cmp.Or(r.said, r.Message) }

// KnowsFrame reports whether a refusal is of the message type alone: its frame was understood.
func (r *Refusal) KnowsFrame() bool {
	return r.Blame() == BlameForm && saysAny(r.text(), "message type")
}

// A Blame is what a peer that did not understand a message can have meant.
type Blame int

// What may be wrong with a message that was not understood.
const (
	BlameNothing Blame = iota // it was understood, and refused or failed at
	BlameForm                 // its name or its framing
	BlamePlace                // the path that it was sent to
	BlameMembers              // its members
	BlameSession              // there is no MCP session
	BlameUnknown              // the peer failed, perhaps because it did not understand
	BlameMoment               // it has no time just now, and says nothing of the message
)

// Blame tells what a refusal says of the form that a message was in. It is
// asked only of peers that have not understood a message of that type before.
func (r *Refusal) Blame() Blame {
	text := r.text()
	switch {
	case saysAny(text, "session", "not acceptable", "initializ", "initialis", "event-stream"):
		return BlameSession
	case r.Name == InvalidMessage.Name || r.Name == MissingField.Name:
		return BlameMembers
	case r.Name != "":
		return BlameNothing
	case r.Code == MethodNotFound || saysAny(text, unknownWords...):
		return BlameForm
	case saysAny(text, "missing", "required") && saysAny(text, "message_type", "'protocol'"): // it has them, so the peer looks elsewhere
		return BlameForm
	case r.Code == InvalidParams || saysAny(text, "sender", "validation error", "field required", "missing required", "required field"):
		return BlameMembers
	}
	return r.blameStatus()
}

// blameStatus judges a refusal that does not explain itself.
func (r *Refusal) blameStatus() Blame {
	switch r.HTTPStatus {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return BlamePlace
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		if r.Code != 0 {
			return BlameForm
		}
		return BlamePlace
	case http.StatusUnprocessableEntity, http.StatusBadRequest:
		return BlameMembers
	case http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return BlameSession
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable:
		return BlameMoment
	}
	if r.Code == InvalidRequest || r.Code == ParseError {
		return BlameForm
	}
	return BlameUnknown
}

// unknownWords are how agents say that they have no such method.
var unknownWords = []string{
	"unknown method", "method not found", "unknown tool", "tool not found", "unsupported method", "unknown message", "no such method",
	"unsupported message", "unhandled message", "unknown action", "not implemented", "invalid method", "unknown type", "not supported", "unrecognized",
}

func saysAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
