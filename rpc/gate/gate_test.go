package gate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A desk answers what it is told to by the body of a request:
//
//	wait   when the context has ended, and says how to ended
//	look   after a while in which it looks whether the context has ended
//	hold   when release is closed
//	no     not at all: net/http has to
//	panic  never
//	mute   with nothing
//	late   with a text and another status
//	large  with more than a socket takes at once
//	secret as usual, and keeps it
//	kept?  with what it has kept
type desk struct {
	ended   chan error
	held    chan struct{} // closed when a request is held
	release chan struct{}
	kept    []byte // the body of the request before, not copied: a mistake
}

var large = strings.Repeat("large", 2<<20)

func newDesk() *desk {
	return &desk{ended: make(chan error, 1), held: make(chan struct{}, 1), release: make(chan struct{})}
}

func (d *desk) ServePost(ctx context.Context, r *Post) ([]byte, bool) {
	switch string(r.Body) {
	case "wait":
		<-ctx.Done()
		d.ended <- ctx.Err()
	case "look":
		child, cancel := context.WithTimeout(ctx, 3*watchAfter)
		<-child.Done()
		cancel()
	case "hold":
		d.held <- struct{}{}
		<-d.release
	case "no":
		return nil, false
	case "panic":
		panic("of the handler")
	case "mute":
		return nil, true
	case "late":
		r.Status = http.StatusGatewayTimeout
	case "large":
		return []byte(large), true
	case "secret":
		d.kept = r.Body
	case "kept?":
		return d.kept, true
	}
	return fmt.Appendf(nil, "gate %s", r.Body), true
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if string(body) == "hold" {
		d.held <- struct{}{}
		<-d.release
	}
	_, _ = fmt.Fprintf(w, "net/http %s %s", r.Method, body)
}

// A talk is a connection of a client.
type talk struct {
	*testing.T
	net.Conn
	in *bufio.Reader
}

func dial(t *testing.T, addr string) *talk {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return &talk{t, c, bufio.NewReader(c)}
}

func (c *talk) say(text string) { _, _ = io.WriteString(c.Conn, text) }

// answer returns the status and the body of the next answer.
func (c *talk) answer() string {
	c.Helper()
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.Fatal(err)
	}
	return fmt.Sprint(resp.StatusCode, " ", string(body))
}

func (c *talk) want(want string) {
	c.Helper()
	if got := c.answer(); got != want {
		c.Fatalf("got %q, want %q", got, want)
	}
}

// end waits until the server has closed the connection.
func (c *talk) end() {
	c.Helper()
	if b, err := c.in.ReadByte(); !errors.Is(err, io.EOF) {
		c.Fatalf("got %q, %v, want the end of the connection", b, err)
	}
}

// of is a request with a body.
func of(body string) string { return ofAgent("test", body) }

func ofAgent(agent, body string) string {
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nUser-Agent: %s\r\nContent-Length: %d\r\n\r\n%s", agent, len(body),
		body)
}

func TestBothServersAnswerOnOneConnection(t *testing.T) {
	d := newDesk()
	c := dial(t, open(t, &Gate{Handler: d, HTTP: plainServer(d)}))
	c.say(of("1"))
	c.want("200 gate 1")
	c.say(of("2") + of("mute") + of("late") + of("3"))
	c.want("200 gate 2")
	c.want("202 ")
	c.want("504 gate late")
	c.want("200 gate 3")
	c.say("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
	c.want("200 net/http GET ")
	c.say(of("4")) // net/http keeps it
	c.want("200 net/http POST 4")
}

func TestWhatTheHandlerDoesNotAnswerIsServedByNetHTTP(t *testing.T) {
	d := newDesk()
	c := dial(t, open(t, &Gate{Handler: d, HTTP: plainServer(d)}))
	c.say(of("1") + of("no") + of("2"))
	c.want("200 gate 1")
	c.want("200 net/http POST no")
	c.want("200 net/http POST 2")
}

func TestHangUpEndsTheContextOfARequest(t *testing.T) {
	d := newDesk()
	addr := open(t, &Gate{Handler: d, HTTP: plainServer(d)})
	for _, agent := range []string{"test", OwnAgent} {
		c := dial(t, addr)
		c.say(ofAgent(agent, "wait"))
		_ = c.Close()
		if err := <-d.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the context ended with %v", agent, err)
		}
	}
}

func TestRequestThatComesDuringAnotherIsAnswered(t *testing.T) {
	d := newDesk()
	c := dial(t, open(t, &Gate{Handler: d, HTTP: plainServer(d)}))
	c.say(of("look"))
	c.say(of("1"))
	c.want("200 gate look")
	c.want("200 gate 1")
}

func TestContextOutlivesNoRequest(t *testing.T) {
	k := &conn{}
	base, cancel := context.WithCancel(context.WithValue(t.Context(), testKey{}, 1))
	defer cancel()
	r := &request{base: base, conn: k}
	if r.Err() != nil || r.Value(testKey{}) != 1 {
		t.Errorf("a fresh one: %v, %v", r.Err(), r.Value(testKey{}))
	}
	child, stop := context.WithCancel(r)
	defer stop()
	r.end()
	<-child.Done()
	if !errors.Is(r.Err(), context.Canceled) || r.Value(testKey{}) != 1 {
		t.Errorf("afterwards: %v, %v", r.Err(), r.Value(testKey{}))
	}
	never := &request{base: base, conn: k}
	never.end()
	<-never.Done() // Done was not called before its end
	if !errors.Is(never.Err(), context.Canceled) {
		t.Errorf("it ended with %v", never.Err())
	}
}

type testKey struct{}

// lines are those of a log.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

func TestPanicEndsOnlyItsConnection(t *testing.T) {
	d := newDesk()
	lines := make(lines, 1)
	server := plainServer(d)
	server.ErrorLog = log.New(lines, "", 0)
	addr := open(t, &Gate{Handler: d, HTTP: server})
	other, c := dial(t, addr), dial(t, addr)
	c.say(of("panic"))
	c.end()
	if text := <-lines; !strings.Contains(text, "panic serving 127.0.0.1: of the handler") {
		t.Errorf("the log says %q", text)
	}
	other.say(of("1"))
	other.want("200 gate 1")
}

func TestBuffersThatAreGivenBackAreNotSeenAgain(t *testing.T) {
	d := newDesk()
	c := dial(t, open(t, &Gate{Handler: d, HTTP: plainServer(d)}))
	c.say(of("secret"))
	c.want("200 gate secret")
	c.say(of("kept?"))
	if got := c.answer(); strings.Contains(got, "secret") {
		t.Errorf("a handler that keeps a body still reads it: %q", got)
	}
}

func TestBodyInManyPiecesIsReadByTheGate(t *testing.T) {
	d := newDesk()
	c := dial(t, open(t, &Gate{Handler: d, HTTP: plainServer(d)}))
	text := strings.Repeat("0123456789", 4000)
	whole := of(text)
	head := len(whole) - len(text)
	c.say(whole[:head])
	for rest := whole[head:]; rest != ""; {
		n := min(len(rest), 777)
		c.say(rest[:n])
		rest = rest[n:]
	}
	c.want("200 gate " + text)
}

func TestShutdownLetsRequestsHaveTheirAnswers(t *testing.T) {
	for _, agent := range []string{"test", OwnAgent} {
		t.Run(agent, func(t *testing.T) {
			d := newDesk()
			g := &Gate{Handler: d, HTTP: plainServer(d)}
			addr := open(t, g)
			idle, fresh, busy := dial(t, addr), dial(t, addr), dial(t, addr)
			idle.say(ofAgent(agent, "1"))
			idle.want("200 gate 1")
			busy.say(ofAgent(agent, "hold"))
			<-d.held
			ended := make(chan error, 1)
			go func() { ended <- g.Shutdown(t.Context()) }()
			idle.end()
			fresh.end()
			select {
			case <-ended:
				t.Error("it does not wait for the request")
			default:
			}
			close(d.release)
			resp, err := http.ReadResponse(busy.in, nil)
			if err != nil || !resp.Close {
				t.Fatalf("got %+v, %v, want an answer that closes the connection", resp, err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			busy.end()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if _, err := net.Dial("tcp", addr); err == nil {
				t.Error("the port is still open")
			}
		})
	}
}

func TestShutdownDoesNotWaitLongerThanItMay(t *testing.T) {
	d := newDesk()
	g := &Gate{Handler: d, HTTP: plainServer(d)}
	c := dial(t, open(t, g))
	c.say(of("hold"))
	<-d.held
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
	g.Close()
	c.end()
	close(d.release)
}

// A failing listener fails with a passing error first, then for good.
type failing struct {
	net.Listener
	tries int
}

type passes struct{ error }

func (passes) Temporary() bool { return true }
func (passes) Timeout() bool   { return false }

func (b *failing) Accept() (net.Conn, error) {
	if b.tries++; b.tries < 4 {
		return nil, passes{errors.New("no file")}
	}
	return nil, io.ErrUnexpectedEOF
}

func TestServeOutlastsErrorsThatPass(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &failing{Listener: l}
	if err := new(Gate).Serve(b); !errors.Is(err, io.ErrUnexpectedEOF) || b.tries != 4 {
		t.Errorf("got %v after %d tries", err, b.tries)
	}
}

func TestStatesOfConnectionsAreTold(t *testing.T) {
	d := newDesk()
	states := make(chan http.ConnState, 10)
	g := &Gate{Handler: d, HTTP: plainServer(d), ConnState: func(_ net.Conn, s http.ConnState) { states <- s }}
	c := dial(t, open(t, g))
	expect := func(want ...http.ConnState) {
		t.Helper()
		for _, w := range want {
			if got := <-states; got != w {
				t.Fatalf("got %v, want %v", got, w)
			}
		}
	}
	expect(http.StateNew)
	request := of("1")
	c.say(request[:len(request)-1]) // a request that is not whole is none
	c.say(request[len(request)-1:])
	expect(http.StateActive, http.StateIdle)
	c.say("GET / HTTP/1.1\r\n")
	expect(http.StateHijacked)
	c = dial(t, c.RemoteAddr().String())
	expect(http.StateNew)
	_ = c.Close()
	expect(http.StateClosed)
}
