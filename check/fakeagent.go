package check

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A fakeAgent is an agent that the checker plays. It accepts messages in any dialect and with any envelope: the steps
// judge those.
type fakeAgent struct {
	received func(m message) // is called for every accepted message
	who      string
	handlers map[protocol.Type]handler
	other    func(ctx context.Context, addr string, body []byte) []byte // answers messages without a handler
}

// A handler answers a message. If it returns neither an answer nor an error, the sender gets an empty response, as from
// an agent that is restarting.
type handler func(ctx context.Context, m message) (protocol.Message, error)

// listen serves a fake agent on a free port until ctx ends.
func (e *fakeAgent) listen(ctx context.Context, port int) (url string, stop func(), err error) {
	server, err := rpc.Listen(port)
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, e) }()
	return server.URL(), func() { cancel(); <-ended }, nil
}

// ServeHTTP answers messages and health checks.
func (e *fakeAgent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		_ = json.NewEncoder(w).Encode(map[string]string{"status": "healthy", "agent": e.who})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "a request has at most 1 MiB", http.StatusRequestEntityTooLarge)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	answer := e.answer(r.Context(), host, r.URL.Path, body)
	if answer == nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write(answer)
}

// answer parses a body in any dialect and returns the answer in the same one, so that an unusual dialect does not fail
// the check. It passes types without a handler to other.
func (e *fakeAgent) answer(ctx context.Context, addr, path string, body []byte) []byte {
	id, req, ok := open(path, body)
	if !ok {
		return rpcError(nil, protocol.InvalidRequest, "this is neither JSON-RPC 2.0 nor a message")
	}
	for _, t := range req.Types() {
		handle := e.handlers[t]
		if handle == nil {
			continue
		}
		m, _, err := dialect.Read(req.Message, protocol.Reading{Type: t, Reply: true, Now: time.Now()})
		if err != nil {
			return rpcError(id, protocol.InvalidParams, err.Error())
		}
		in := message{&exchange{got: req.Message}, m, time.Now(), req.Dialect()}
		e.received(in)
		out, err := handle(ctx, in)
		return e.framed(id, req, m, out, err)
	}
	if e.other != nil {
		return e.other(ctx, addr, body)
	}
	return rpcError(id, protocol.MethodNotFound, "Method not found")
}

// open finds the message in a request.
func open(path string, body []byte) (id json.RawMessage, o dialect.Request, ok bool) {
	var f map[string]json.RawMessage
	if json.Unmarshal(body, &f) != nil || f == nil {
		return nil, o, false
	}
	var method string
	if json.Unmarshal(f["method"], &method) != nil {
		o, ok = dialect.ParseBare(path[strings.LastIndexByte(path, '/')+1:], body, f)
		return nil, o, ok
	}
	params := f["params"]
	if data := f["data"]; len(params) == 0 && isObject(data) {
		return f["id"], dialect.ParseBeside(method, data), true
	}
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	return f["id"], dialect.ParseCall(method, params), true
}

// framed encodes an answer in the framing of the request. Without an answer and an error it returns an empty body.
func (e *fakeAgent) framed(id json.RawMessage, o dialect.Request, asked, out protocol.Message, err error) []byte {
	if err != nil {
		return rpcError(id, protocol.AsError(err).Kind.Numeric(asked.Head().MessageType), protocol.AsError(err).Kind.Name)
	}
	if out == nil {
		return nil
	}
	if c := asked.Head().AnsweredWith(); c != nil {
		c.SignAnswer(out, asked.Head().ConversationID)
	}
	h := out.Head()
	h.Protocol, h.Sender, h.Timestamp, h.ConversationID = protocol.Version, e.who, protocol.Stamp(time.Now()),
		asked.Head().ConversationID
	raw, err := protocol.Encode(out)
	if err != nil {
		return rpcError(id, protocol.InternalError, err.Error())
	}
	return o.Answer(id, raw)
}

// rpcError encodes a JSON-RPC error. A nil id, of an unreadable request, becomes null.
func rpcError(id json.RawMessage, code int, text string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	quoted, _ := json.Marshal(text)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","error":{"code":%d,"message":%s},"id":%s}`, code, quoted, id)
}
