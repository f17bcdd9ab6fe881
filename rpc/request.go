package rpc

import (
	"encoding/json"
	"fmt"
	"strings"

	"agentleague/dialect"
	"agentleague/protocol"
)

// A request is a JSON-RPC request, or a bare message without JSON-RPC around it.
type request struct {
	dialect.Request
	id     json.RawMessage // nil: there is none
	method string
	bare   bool // there is no JSON-RPC around it, and so around its answer

	read         protocol.Message // if it was read with the request
	spec         protocol.Spec
	conversation string // of the answer
	post         *Post  // has memory for the answer; nil: it has its own

	auth protocol.Answerer // authenticates the answer; nil: unauthenticated
}

// write encodes the answer to a request, in the buffer of its Post if there is one.
func (r request) write(reply protocol.Message) ([]byte, error) {
	var room []byte
	if r.post != nil {
		room = r.post.Room()
	}
	return r.WriteIn(room, r.id, reply)
}

// parse decodes a request that was posted to path. If the request is malformed, the second result is the error answer.
// Field names are matched exactly: decoding into a struct would accept "Method" too.
func parse(path string, raw json.RawMessage) (request, []byte) {
	if key := protocol.RepeatedKey(raw); key != "" {
		return request{}, invalid(nil, fmt.Sprintf("the member %q occurs twice", clip(key)))
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return request{}, invalid(nil, "a request is an object")
	}
	_, versioned := m["jsonrpc"]
	_, called := m["method"]
	if !versioned && !called {
		if o, ok := dialect.ParseBare(path, raw, m); ok {
			return request{Request: o, bare: true}, nil
		}
	}
	id := m["id"]
	if id != nil && strings.ContainsRune("{[tf", rune(id[0])) {
		return request{}, invalid(nil, "id: want a string, a number or null")
	}
	var version, method string
	if json.Unmarshal(m["jsonrpc"], &version) != nil || version != "2.0" {
		return request{}, invalid(id, `jsonrpc: want "2.0"`)
	}
	if string(m["method"]) == "null" || json.Unmarshal(m["method"], &method) != nil {
		return request{}, invalid(id, "method: want a string")
	}
	params, ok := m["params"]
	if data := m["data"]; !ok && len(data) > 0 && data[0] == '{' {
		return request{id: id, method: method, Request: dialect.ParseBeside(method, data)}, nil
	}
	if !ok {
		params = json.RawMessage("{}")
	}
	if params[0] != '{' && params[0] != '[' {
		return request{}, invalid(id, "params: want an object")
	}
	return request{id: id, method: method, Request: dialect.ParseCall(method, params)}, nil
}

// readPlain decodes a request in the canonical form of this program's agents in one pass. It returns false for all
// others, which [parse] decodes.
func (s *responder) readPlain(body []byte) (req request, ok bool) {
	r, ok := protocol.ReadRequest(body)
	if !ok || s.handlers.find(r.Message.Head().MessageType) == nil {
		return req, false
	}
	h := r.Message.Head()
	req = request{id: r.ID, method: r.Method, Request: dialect.ParsePlain(r), read: r.Message,
		conversation: h.ConversationID}
	req.spec, ok = protocol.Lookup(h.MessageType)
	return req, ok
}

// silent reports whether a request is a JSON-RPC notification, which gets no answer.
func (r request) silent() bool { return r.id == nil && !r.bare }
