package rpc_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// answering serves the same answer to everything.
func answering(t *testing.T, status int, body string) rpc.Peer {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return rpc.Peer{Endpoint: s.URL + "/mcp"}
}

func TestAnswersOverHTTP(t *testing.T) {
	const pong = `{"message_type":"PONG","status":"ok"}`
	for _, c := range []struct {
		name    string
		message protocol.Message
		status  int
		body    string
		want    string // a type, "nothing", a refusal by its status and code, or the code of an error
	}{
		{"result", ping(), 200, `{"jsonrpc":"2.0","result":` + pong + `,"id":1}`, "PONG"},
		{"result beside an error of null", ping(), 200, `{"jsonrpc":"2.0","error":null,"result":` + pong + `,"id":1}`,
			"PONG"},
		{"result with a wrong status", ping(), 500, `{"jsonrpc":"2.0","result":` + pong + `,"id":1}`, "PONG"},
		{"bare message", ping(), 200, pong, "PONG"},
		{"another id", ping(), 200, `{"jsonrpc":"2.0","result":` + pong + `,"id":77}`, "PONG"},
		{"unknown method", ping(), 200, `{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}`,
			"refusal 200 -32601"},
		{"error by its name", ping(), 401, `{"jsonrpc":"2.0","error":{"code":6001,"message":"AUTH_TOKEN_INVALID"},"id":1}`,
			"refusal 401 6001 AUTH_TOKEN_INVALID"},
		{"500 and a text", ping(), 500, "Internal Server Error", "refusal 500 0"},
		{"404 without a body", ping(), 404, "", "refusal 404 0"},
		{"nothing useful", ping(), 200, "hello", "E002"},
		{"redirect", ping(), 302, "", "refusal 302 0"},
		{"not modified", ping(), 304, "", "refusal 304 0"},
		{"acknowledgement", gameOver(), 200, `{"jsonrpc":"2.0","result":{"message_type":"GAME_OVER_ACK"},"id":1}`,
			"GAME_OVER_ACK"},
		{"anything acknowledges", gameOver(), 200, `{"jsonrpc":"2.0","result":"thanks","id":1}`, "nothing"},
		{"a text acknowledges", gameOver(), 201, "OK", "nothing"},
		{"an empty body acknowledges", gameOver(), 204, "", "nothing"},
		{"a redirect does not acknowledge", gameOver(), 302, "", "refusal 302 0"},
		{"an error does not acknowledge", gameOver(), 200,
			`{"jsonrpc":"2.0","error":{"code":-32602,"message":"INVALID_MESSAGE"},"id":1}`,
			"refusal 200 -32602 INVALID_MESSAGE"},
		{"a bad status does not acknowledge", gameOver(), 503, "busy", "refusal 503 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := rpc.NewNode("referee:REF01", rpc.Options{})
			reply, err := n.Call(t.Context(), answering(t, c.status, c.body), c.message)
			if got := outcome(reply, err); got != c.want {
				t.Errorf("got %s (%v), want %s", got, err, c.want)
			}
		})
	}
}

// outcome describes in a few words how a call ended.
func outcome(reply protocol.Message, err error) string {
	var refusal *protocol.Refusal
	var failure *protocol.Error
	switch {
	case errors.As(err, &refusal):
		return strings.TrimSpace(fmt.Sprint("refusal ", refusal.HTTPStatus, " ", refusal.Code, " ", refusal.Name))
	case errors.As(err, &failure):
		return failure.Kind.Code
	case err != nil:
		return err.Error()
	case reply == nil:
		return "nothing"
	}
	return string(reply.Head().MessageType)
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed")
	}))
	defer elsewhere.Close()
	s := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	if got := outcome(n.Call(t.Context(), rpc.Peer{Endpoint: s.URL}, ping())); got != "refusal 307 0" {
		t.Errorf("got %s, want a refusal", got)
	}
	if err := n.Alive(t.Context(), s.URL+"/mcp"); err != nil {
		t.Errorf("whatever answers is alive: %v", err)
	}
}

func TestAnswerLargerThanTheLimitIsAnError(t *testing.T) {
	body := `{"jsonrpc":"2.0","result":{"message_type":"PONG","status":"ok"},"id":1}`
	for limit, want := range map[int]string{len(body): "PONG", len(body) - 1: "E009"} {
		n := rpc.NewNode("referee:REF01", rpc.Options{MaxBody: int64(limit)})
		if got := outcome(n.Call(t.Context(), answering(t, 200, body), ping())); got != want {
			t.Errorf("limit %d of %d bytes: got %s, want %s", limit, len(body), got, want)
		}
	}
}

// nowhere is an address without a listener.
func nowhere(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String() + "/mcp"
}

func TestWhoIsNotThereIsAConnectionError(t *testing.T) {
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	for _, endpoint := range []string{nowhere(t), "", "://", "file:///etc/passwd"} {
		if got := outcome(n.Call(t.Context(), rpc.Peer{Endpoint: endpoint}, ping())); got != "E009" {
			t.Errorf("%q: got %s, want E009", endpoint, got)
		}
		if n.Alive(t.Context(), endpoint) == nil {
			t.Errorf("%q is not alive", endpoint)
		}
	}
}

func TestSilentServerIsATimeout(t *testing.T) {
	end := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-end }))
	defer s.Close()
	defer close(end)
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if got := outcome(n.Call(ctx, rpc.Peer{Endpoint: s.URL}, ping())); got != "E001" {
		t.Errorf("got %s, want E001", got)
	}
	why := errors.New("the match is over")
	over, stop := context.WithCancelCause(t.Context())
	stop(why)
	if _, err := n.Call(over, rpc.Peer{Endpoint: s.URL}, ping()); err != why {
		t.Errorf("ended context: got %v, want its cause", err)
	}
}

// impatient is a network that gives up connecting long before the answer is due.
type impatient struct{ *rpc.HTTP }

func (impatient) Post(context.Context, string, string, []byte) (int, []byte, error) {
	return 0, nil, fmt.Errorf("dial: %w", context.DeadlineExceeded)
}

func TestConnectingThatTakesTooLongIsAConnectionError(t *testing.T) {
	n := rpc.NewNode("referee:REF01", rpc.Options{Network: impatient{rpc.NewHTTP(100)}})
	if got := outcome(n.Call(t.Context(), rpc.Peer{Endpoint: "http://192.0.2.1/mcp"}, ping())); got != "E009" {
		t.Errorf("got %s, want E009: the answer's deadline has not passed", got)
	}
}

func TestConnectionThatWasClosedMeanwhileIsReplaced(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const calls = 3
	conns := make(chan net.Conn, calls)
	go func() { // each connection answers once and is closed when it is used again
		for range calls {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns <- conn
			go answerOnce(conn)
		}
	}()
	n := rpc.NewNode("referee:REF01", rpc.Options{})
	for k := range calls {
		if got := outcome(n.Call(t.Context(), rpc.Peer{Endpoint: "http://" + l.Addr().String()}, ping())); got != "PONG" {
			t.Errorf("call %d: got %s, want PONG", k+1, got)
		}
	}
	for range calls {
		_ = (<-conns).Close()
	}
}

func answerOnce(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	if readRequest(r) == nil {
		const body = `{"jsonrpc":"2.0","result":{"message_type":"PONG","status":"ok"},"id":1}`
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		_ = readRequest(r)
	}
}

func readRequest(r *bufio.Reader) error {
	req, err := http.ReadRequest(r)
	if err == nil {
		_, err = io.Copy(io.Discard, req.Body)
	}
	return err
}

func TestAddressesOfAnEndpoint(t *testing.T) {
	h := rpc.NewHTTP(100)
	for endpoint, want := range map[string][]string{
		"http://localhost:8101/mcp": {"localhost"},
		"http://127.0.0.1:8101/mcp": {"127.0.0.1"},
		"http://[::1]:8101/mcp":     {"::1"},
		"http://192.0.2.7:8101":     {"192.0.2.7"},
		"/mcp":                      nil,
		"://":                       nil,
	} {
		if got := h.Addresses(t.Context(), endpoint); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", endpoint, got, want)
		}
	}
}

func TestAddressesOfANameAreLookedUp(t *testing.T) {
	h := rpc.NewHTTP(100)
	const name = "http://LOCALHOST:8101/mcp" // known everywhere, but not by these letters
	addrs := h.Addresses(t.Context(), name)
	if len(addrs) == 0 || slices.ContainsFunc(addrs, func(a string) bool { return !net.ParseIP(a).IsLoopback() }) {
		t.Errorf("got %q, want loopback addresses", addrs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if addrs := h.Addresses(ctx, "http://name.invalid:8101/mcp"); addrs != nil {
		t.Errorf("a name that cannot be looked up: got %q, want none", addrs)
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	h := rpc.NewHTTP(100)
	if err := h.Sleep(t.Context(), "", 0); err != nil {
		t.Errorf("got %v, want nil", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Sleep(ctx, "", time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
