package check

import (
	"context"
	"encoding/json"
	"fmt"
)

// An rpcAnswer is an answer by its members.
type rpcAnswer map[string]json.RawMessage

// parseAnswer reads the members of an answer as they are written; nil if it is no object.
func parseAnswer(body []byte) (a rpcAnswer) {
	_ = json.Unmarshal(body, &a)
	return a
}

func (a rpcAnswer) has(name string) bool { v, ok := a[name]; return ok && string(v) != "null" }

// code is the code of the error in an answer; 0: there is none.
func (a rpcAnswer) code() int {
	var e struct{ Code int }
	_ = json.Unmarshal(a["error"], &e)
	return e.Code
}

// is judges whether an answer is JSON-RPC with that id.
func (a rpcAnswer) is(id string) finding {
	switch {
	case a == nil:
		return differ("the answer is not a JSON object")
	case string(a["jsonrpc"]) != `"2.0"`:
		return differ(`want "jsonrpc":"2.0" in the answer`)
	case a.has("result") == a.has("error"):
		return differ("want either result or error in the answer")
	case !sameID(a["id"], id):
		return differ("the request has the id %s, the answer %s", id, orNothing(a["id"]))
	}
	return pass
}

// sameID compares ids. Texts may be escaped in another way.
func sameID(got json.RawMessage, want string) bool {
	var a, b string
	if want[0] == '"' && json.Unmarshal(got, &a) == nil && json.Unmarshal([]byte(want), &b) == nil {
		return a == b
	}
	return string(got) == want
}

// orNothing shows a member, or that it is missing.
func orNothing(raw json.RawMessage) string {
	if raw == nil {
		return "has none"
	}
	return redacted(raw)
}

// pingRequest is a request with an id to be filled in, which has to come back byte for byte.
const pingRequest = `{"jsonrpc":"2.0","method":"ping","params":{},"id":%s}`

// rpc posts a request and returns the answer, or why there is nothing to judge.
func (s *session) rpc(ctx context.Context, body string) (*exchange, rpcAnswer, finding) {
	if !s.Strict && !s.speaksRPC(ctx) {
		return nil, nil, skip("the agent does not speak JSON-RPC")
	}
	x := s.post(ctx, []byte(body))
	if x.err != nil {
		return x, nil, differ("it gave no answer: %v", x.err).in(x)
	}
	return x, parseAnswer(x.got), pass.in(x)
}

// speaksRPC reports whether the agent answers JSON-RPC with anything like it.
func (s *session) speaksRPC(ctx context.Context) bool {
	return once(s, "rpc", func() bool {
		a := parseAnswer(s.post(ctx, fmt.Appendf(nil, pingRequest, "6")).got)
		return a.has("jsonrpc") && (a.has("result") || a.has("error"))
	})
}

// echoes checks that an id comes back byte for byte: 1.50 is not 1.5 to a client that compares texts.
func (s *session) echoes(ctx context.Context, id string) finding {
	x, a, f := s.rpc(ctx, fmt.Sprintf(pingRequest, id))
	return first(f, a.is(id)).in(x)
}

// wantCode posts a body and judges the error in the answer.
func (s *session) wantCode(ctx context.Context, body string, code int, id string) finding {
	x, a, f := s.rpc(ctx, body)
	if f.level == passes && a.code() != code {
		f = differ("want the error %d", code)
	}
	return first(f, a.is(id)).in(x)
}
