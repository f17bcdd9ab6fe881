package dialect

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	"agentleague/protocol"
)

// refusal parses a peer's error.
func refusal(status int, raw json.RawMessage) *protocol.Refusal {
	out := &protocol.Refusal{
		HTTPStatus: status, Message: protocol.Clip(strings.TrimSpace(string(raw)), 200),
		Said: protocol.Clip(string(raw), 4000),
	}
	var f fields
	if json.Unmarshal(raw, &f) != nil || f == nil {
		return out
	}
	_ = json.Unmarshal(f["code"], &out.Code)
	for _, member := range []string{"error_name", "error_description", "error_message", "message"} {
		text, said := f.Text(member)
		if k, known := protocol.KindNamed(text); known && out.Name == "" {
			out.Name = k.Name
		}
		if said {
			out.Message = protocol.Clip(text, 200)
		}
	}
	if out.Name == "" && containsAny(complaintOf(out), "rate limit", "too many requests") {
		out.Name = protocol.RateLimited.Name
	}
	for _, path := range []string{"context.detail", "data.context.detail", "detail", "data.detail"} {
		if path == "detail" && !f.Has("error_code") { // of a web framework: the whole error text
			continue
		}
		var detail string
		if json.Unmarshal(f.Get(path), &detail) == nil && detail != "" {
			out.Message = protocol.Clip(detail, 200)
		}
	}
	return out
}

// complaintOf returns the complete error text of a peer in lower case, with spaces for underscores.
func complaintOf(r *protocol.Refusal) string {
	return strings.ReplaceAll(strings.ToLower(wholeOf(r)), "_", " ")
}

// wholeOf returns the complete error text of a peer.
func wholeOf(r *protocol.Refusal) string { return cmp.Or(r.Said, r.Message) }

// A Blame identifies the part of a message that a peer did not understand.
type Blame int

// The possible causes of a message that was not understood.
const (
	BlameNothing Blame = iota // it was understood, and then refused or not managed
	BlameForm                 // its name or its framing
	BlamePlace                // the path that it was sent to
	BlameMembers              // its members
	BlameSession              // there is no MCP session
	BlameUnknown              // the peer failed, perhaps because it did not understand
	BlameMoment               // the peer is busy; the message may be right
)

// BlameOf returns the part of a message that a refusal blames. Call it only for peers that have not understood a
// message of that type before.
func BlameOf(r *protocol.Refusal) Blame {
	text := complaintOf(r)
	switch {
	case containsAny(text, "session", "not acceptable", "initializ", "initialis", "event-stream") || r.Code == noVersionNamed:
		return BlameSession
	case r.Name == protocol.InvalidMessage.Name || r.Name == protocol.MissingField.Name:
		return BlameMembers
	case r.Name != "":
		return BlameNothing
	case r.Code == protocol.MethodNotFound || containsAny(text, unknownWords...):
		return BlameForm
	case missesEnvelope(r):
		return BlameForm
	case r.Code == protocol.InvalidParams || containsAny(text, memberWords...):
		return BlameMembers
	}
	return blameByStatus(r)
}

// noVersionNamed is the error code of MCP servers that require the protocol version in every request.
const noVersionNamed = -32022

// blameByStatus derives the blame from the HTTP status and the JSON-RPC code of a refusal whose text is inconclusive.
func blameByStatus(r *protocol.Refusal) Blame {
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
	if r.Code == protocol.InvalidRequest || r.Code == protocol.ParseError {
		return BlameForm
	}
	return BlameUnknown
}

// understandsFrame reports whether a peer rejects only the message type, which proves that it understood the framing.
// A complaint about a missing member message_type does not count.
func understandsFrame(r *protocol.Refusal) bool {
	return BlameOf(r) == BlameForm && containsAny(complaintOf(r), "message type") && !missesEnvelope(r)
}

// unknownWords are phrases that report an unknown method or message.
var unknownWords = []string{
	"unknown method", "method not found", "unknown tool", "tool not found", "unsupported method", "unknown message",
	"no such method", "unsupported message", "unhandled message", "unknown action", "not implemented", "invalid method",
	"unknown type", "not supported", "unrecognized",
}

// memberWords are phrases that report missing or wrong members.
var memberWords = []string{"sender", "validation error", "field required", "missing required", "required field"}

// containsAny reports whether a text contains one of the words. The comparison is case-sensitive; all callers pass
// lower case.
func containsAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// isMCPServer reports whether a refusal looks like that of an MCP server. It has the exact text with which the Python
// or the Go library refuses methods outside MCP, or it is a redirect, as of servers that are mounted below their path;
// an MCP session follows redirects.
func isMCPServer(r *protocol.Refusal) bool {
	return r.Code == protocol.InvalidParams && strings.EqualFold(r.Message, "Invalid request parameters") ||
		strings.HasPrefix(r.Message, "JSON RPC not handled") ||
		r.HTTPStatus == http.StatusTemporaryRedirect || r.HTTPStatus == http.StatusPermanentRedirect
}
