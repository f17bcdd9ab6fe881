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

// A fakeAgent is an agent of the checker. It accepts messages in any dialect and refuses none for its envelope: the
// steps judge those.
type fakeAgent struct {
	received func(m message) // is called for every accepted message
	who      string
	handlers map[protocol.Type]handler
	other    func(ctx context.Context, addr string, body []byte) []byte // answers messages without a handler
}

// A handler answers a message. Without an answer or an error the sender gets no response, as from an agent that is
// restarting.
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

// answer reads a body in any dialect and answers in the same one: a check of an agent's dialect must not fail because
// the checker does not understand it. Unhandled types go to other.
func (e *fakeAgent) answer(ctx context.Context, addr, path string, body []byte) []byte {
	id, opening, ok := open(path, body)
	if !ok {
		return rpcError(nil, protocol.InvalidRequest, "this is neither JSON-RPC 2.0 nor a message")
	}
	for _, t := range opening.Types() {
		handle := e.handlers[t]
		if handle == nil {
			continue
		}
		m, _, err := dialect.Read(opening.Message, protocol.Reading{Type: t, Reply: true, Now: time.Now()})
		if err != nil {
			return rpcError(id, protocol.InvalidParams, err.Error())
		}
		in := message{&exchange{got: opening.Message}, m, time.Now(), opening.Dialect()}
		e.received(in)
		out, err := handle(ctx, in)
		return e.framed(id, opening, m, out, err)
	}
	if e.other != nil {
		return e.other(ctx, addr, body)
	}
	return rpcError(id, protocol.MethodNotFound, "Method not found")
}

// open finds the message in a request.
func open(path string, body []byte) (id json.RawMessage, o dialect.Opening, ok bool) {
	var f map[string]json.RawMessage
	if json.Unmarshal(body, &f) != nil || f == nil {
		return nil, o, false
	}
	var method string
	if json.Unmarshal(f["method"], &method) != nil {
		o, ok = dialect.OpenBare(path[strings.LastIndexByte(path, '/')+1:], body, f)
		return nil, o, ok
	}
	params := f["params"]
	if data := f["data"]; len(params) == 0 && isObject(data) {
		return f["id"], dialect.OpenBeside(method, data), true
	}
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	return f["id"], dialect.OpenCall(method, params), true
}

// framed writes an answer in the framing of the request. No answer at all simulates an agent that is restarting.
func (e *fakeAgent) framed(id json.RawMessage, o dialect.Opening, asked, out protocol.Message, err error) []byte {
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

// rpcError writes an error as JSON-RPC has it; without an id, because the request could not be read, that is null.
func rpcError(id json.RawMessage, code int, text string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	quoted, _ := json.Marshal(text)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","error":{"code":%d,"message":%s},"id":%s}`, code, quoted, id)
}
