package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"agentleague/protocol"
)

// MaxBatch is how many requests one body may hold.
const MaxBatch = 64

// Answer answers the body of one request, strictly by JSON-RPC 2.0. It returns
// nil when there is nothing to say.
func (n *Node) Answer(ctx context.Context, from From, body []byte) []byte {
	body = bytes.TrimSpace(body)
	if !json.Valid(body) {
		return failure(nil, protocol.ParseError, "Parse error", "the body is not JSON")
	}
	if key := protocol.RepeatedKey(body); key != "" {
		return failure(nil, protocol.InvalidRequest, "Invalid Request", fmt.Sprintf("the member %q occurs twice", key))
	}
	if body[0] != '[' {
		return n.answerOne(ctx, from, body)
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(body, &batch); err != nil || len(batch) == 0 || len(batch) > MaxBatch {
		return failure(nil, protocol.InvalidRequest, "Invalid Request", fmt.Sprintf("a batch has 1 to %d requests", MaxBatch))
	}
	var answers [][]byte
	for _, request := range batch {
		if a := n.answerOne(ctx, from, request); a != nil {
			answers = append(answers, a)
		}
	}
	if answers == nil {
		return nil
	}
	return append(append([]byte{'['}, bytes.Join(answers, []byte{','})...), ']')
}

// A request is one JSON-RPC request, or a bare message.
type request struct {
	id     json.RawMessage // nil: a notification
	method string
	params json.RawMessage
	bare   bool
	spec   protocol.Spec
}

func (n *Node) answerOne(ctx context.Context, from From, raw json.RawMessage) []byte {
	req, wrong := parse(raw)
	if wrong != nil {
		return wrong
	}
	spec, ok := n.route(req)
	if !ok {
		if req.id == nil && !req.bare {
			return nil
		}
		return failure(req.id, protocol.MethodNotFound, "Method not found", fmt.Sprintf("%s has no method %q", n.Sender(), clip(req.method)))
	}
	req.spec = spec
	reply, err := n.handle(ctx, from, req)
	if req.id == nil && !req.bare && (n.Strict || !answersAnyway(req.method)) {
		return nil
	}
	return n.frame(req, reply, err)
}

// answersAnyway names the methods that are answered although they come without an id.
func answersAnyway(method string) bool {
	return strings.HasPrefix(method, "register_") || strings.HasPrefix(method, "get_") || method == "league_query"
}

// parse reads a request. The second result is the answer to one that cannot be read.
func parse(raw json.RawMessage) (request, []byte) {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return request{}, failure(nil, protocol.InvalidRequest, "Invalid Request", "a request is an object")
	}
	_, rpc := m["jsonrpc"]
	_, called := m["method"]
	if _, typed := m["message_type"]; typed && !rpc && !called {
		return request{params: raw, bare: true}, nil
	}
	id, hasID := m["id"]
	if hasID && strings.ContainsRune("{[tf", rune(id[0])) {
		return request{}, failure(nil, protocol.InvalidRequest, "Invalid Request", "id: want a string, a number or null")
	}
	var version, method string
	if json.Unmarshal(m["jsonrpc"], &version) != nil || version != "2.0" {
		return request{}, failure(id, protocol.InvalidRequest, "Invalid Request", `jsonrpc: want "2.0"`)
	}
	if string(m["method"]) == "null" || json.Unmarshal(m["method"], &method) != nil {
		return request{}, failure(id, protocol.InvalidRequest, "Invalid Request", "method: want a string")
	}
	params, ok := m["params"]
	if !ok {
		params = json.RawMessage("{}")
	}
	if params[0] != '{' && params[0] != '[' {
		return request{}, failure(id, protocol.InvalidRequest, "Invalid Request", "params: want an object")
	}
	return request{id: id, method: method, params: params}, nil
}

// route finds out what a request is: by the message in it first, by its method second.
func (n *Node) route(req request) (protocol.Spec, bool) {
	var named struct {
		Type protocol.Type `json:"message_type"`
	}
	_ = json.Unmarshal(req.params, &named)
	for _, s := range []func() (protocol.Spec, bool){
		func() (protocol.Spec, bool) { return protocol.Lookup(named.Type) },
		func() (protocol.Spec, bool) { return protocol.ByMethod(req.method) },
	} {
		if spec, ok := s(); ok && (n.handlers[spec.Type] != nil || answerable[spec.Type]) {
			return spec, true
		}
	}
	return protocol.Spec{}, false
}

// handle decodes the message of a request and runs its handler.
func (n *Node) handle(ctx context.Context, from From, req request) (reply protocol.Message, err error) {
	start := time.Now()
	m, warnings, err := protocol.Decode(req.params, protocol.Reading{
		Type: req.spec.Type, Strict: n.Strict, Reply: n.handlers[req.spec.Type] == nil, Now: start, Conversation: "conv-" + n.Nonce(8),
	})
	defer func() {
		n.observe(Message{Peer: from.Addr, Message: m, Elapsed: time.Since(start), Err: err, Warnings: warnings})
	}()
	if err != nil {
		return nil, err
	}
	if h := n.handlers[req.spec.Type]; h != nil {
		return n.safely(ctx, h, from, m)
	}
	return n.deliver(from, m, said(req.params))
}

// safely runs a handler so that its panic is one answer's failure, not the agent's.
func (n *Node) safely(ctx context.Context, h Handler, from From, m protocol.Message) (reply protocol.Message, err error) {
	defer func() {
		if p := recover(); p != nil {
			n.Logger.Error("handler failed", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			err = errors.New("handler failed")
		}
	}()
	return h(ctx, from, m)
}

// frame writes an answer in the form in which the request came.
func (n *Node) frame(req request, reply protocol.Message, err error) []byte {
	if err != nil {
		return n.frameError(req, err)
	}
	n.address(req, reply)
	result, err := protocol.Encode(reply)
	if err != nil {
		return n.frameError(req, err)
	}
	if req.bare {
		return result
	}
	return marshal(map[string]any{"jsonrpc": "2.0", "result": result, "id": nullable(req.id)})
}

// address completes an answer's envelope: it goes out in the conversation of the request.
func (n *Node) address(req request, reply protocol.Message) {
	n.stamp(reply)
	var asked struct {
		Conversation any `json:"conversation_id"`
	}
	_ = json.Unmarshal(req.params, &asked)
	h := reply.Head()
	if c, ok := asked.Conversation.(string); ok && c != "" {
		h.ConversationID = c
	}
	if h.ConversationID == "" {
		h.ConversationID = "conv-" + n.Nonce(8)
	}
}

func (n *Node) frameError(req request, err error) []byte {
	e := protocol.AsError(err)
	if e.Kind == protocol.Internal {
		n.Logger.Error("request failed", slog.String("method", req.method), slog.Any("error", err))
	}
	m := n.errorMessage(req, e)
	n.address(req, m)
	data, encErr := protocol.Encode(m)
	if encErr != nil {
		return failure(req.id, protocol.InternalError, "Internal error", "the error cannot be written")
	}
	if req.bare {
		return data
	}
	return marshal(map[string]any{"jsonrpc": "2.0", "id": nullable(req.id), "error": map[string]any{
		"code": e.Kind.Numeric(req.spec.Type), "message": e.Kind.Name, "data": data,
		"error_code": e.Kind.Code, "error_name": e.Kind.Name, "error_description": e.Kind.Name,
	}})
}

// errorMessage writes an error as the message of the protocol that the role of this agent sends.
func (n *Node) errorMessage(req request, e *protocol.Error) protocol.Message {
	about := map[string]any{"action": req.spec.Type, "detail": e.Detail}
	for k, v := range e.Context {
		about[k] = v
	}
	if role, _ := protocol.ParseSender(n.Sender()); role == protocol.RoleManager {
		return &protocol.LeagueError{
			Envelope:  protocol.Envelope{MessageType: protocol.TypeLeagueError},
			ErrorCode: e.Kind.Code, ErrorName: e.Kind.Name, ErrorDescription: e.Kind.Name,
			OriginalMessageType: req.spec.Type, Context: about, Retryable: e.Kind.Retryable,
		}
	}
	var in struct {
		MatchID  any `json:"match_id"`
		PlayerID any `json:"player_id"`
	}
	_ = json.Unmarshal(req.params, &in)
	match, _ := in.MatchID.(string)
	player, _ := in.PlayerID.(string)
	return &protocol.GameError{
		Envelope:  protocol.Envelope{MessageType: protocol.TypeGameError, MatchID: match},
		ErrorCode: e.Kind.Code, ErrorName: e.Kind.Name, ErrorDescription: e.Kind.Name,
		PlayerID: player, AffectedPlayer: player,
		OriginalMessageType: req.spec.Type, Context: about, Retryable: e.Kind.Retryable,
	}
}

// failure writes an error of JSON-RPC's own.
func failure(id json.RawMessage, code int, message, detail string) []byte {
	return marshal(map[string]any{"jsonrpc": "2.0", "id": nullable(id), "error": map[string]any{
		"code": code, "message": message, "data": map[string]string{"detail": detail},
	}})
}

func nullable(id json.RawMessage) json.RawMessage {
	if id == nil {
		return json.RawMessage("null")
	}
	return id
}

// said returns the members that a message has of its own.
func said(params json.RawMessage) map[string]bool {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(params, &m)
	out := map[string]bool{}
	for k, v := range m {
		out[k] = string(v) != "null" && string(v) != `""`
	}
	return out
}

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}`)
	}
	return b
}

func clip(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "") + "…"
	}
	return s
}
