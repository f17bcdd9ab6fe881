package rpc

import (
	"encoding/json"
	"fmt"
	"strings"

	"agentleague/protocol"
)

// A request is one JSON-RPC request, or a bare message.
type request struct {
	id     json.RawMessage // nil: there is none
	method string
	params json.RawMessage
	bare   bool // it is a message without JSON-RPC around it, and so is its answer

	message      protocol.Message           // if it was read with the request
	fields       map[string]json.RawMessage // the members of params, if it is an object
	spec         protocol.Spec
	conversation string // of the answer
}

// parse reads a request. The second result is the answer to one that cannot be
// read. Members are found by their exact names: a struct would take "Method" too.
func parse(raw json.RawMessage) (request, []byte) {
	if key := protocol.RepeatedKey(raw); key != "" {
		return request{}, invalid(nil, fmt.Sprintf("the member %q occurs twice", clip(key)))
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return request{}, invalid(nil, "a request is an object")
	}
	_, versioned := m["jsonrpc"]
	_, called := m["method"]
	if _, typed := m["message_type"]; typed && !versioned && !called {
		return request{params: raw, bare: true, fields: m}, nil
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
	if !ok {
		params = json.RawMessage("{}")
	}
	if params[0] != '{' && params[0] != '[' {
		return request{}, invalid(id, "params: want an object")
	}
	req := request{id: id, method: method, params: params}
	_ = json.Unmarshal(params, &req.fields) // an array has no members; who decodes it says so
	return req, nil
}

// readPlain reads a request of one of our own agents, which needs no remark, in
// one pass. All others are read by [parse].
func (n *Node) readPlain(body []byte) (req request, ok bool) {
	r, ok := protocol.ReadRequest(body)
	if !ok || n.handlers[r.Message.Head().MessageType] == nil {
		return req, false
	}
	h := r.Message.Head()
	req = request{id: r.ID, method: r.Method, params: r.Params, message: r.Message, conversation: h.ConversationID}
	req.spec, ok = protocol.Lookup(h.MessageType)
	return req, ok
}

// silent reports whether nobody waits for an answer.
func (r request) silent() bool { return r.id == nil && !r.bare }

// text returns the member of the message that has exactly that name, if it is a string.
func (r request) text(name string) string {
	if r.message != nil {
		_ = json.Unmarshal(r.params, &r.fields)
	}
	var s string
	if json.Unmarshal(r.fields[name], &s) != nil {
		return ""
	}
	return s
}
