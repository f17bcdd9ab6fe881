//go:build unix

package rpc_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// postedInvitation is a message of a match as our own agents post it.
func postedInvitation(t testing.TB) string {
	body, err := protocol.Encode(&protocol.GameInvitation{
		Envelope: protocol.Envelope{
			Protocol: protocol.Version, MessageType: protocol.TypeGameInvitation, Sender: "referee:REF01",
			Timestamp: "2026-01-02T03:04:05Z", ConversationID: "conv-1", AuthToken: "tok-0123456789", LeagueID: "league",
			RoundID: 1, MatchID: "R1M1",
		}, GameType: "even_odd", RoleInMatch: "PLAYER_A", OpponentID: "P02", PlayerID: "P01", Attempt: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	call := fmt.Sprintf(`{"jsonrpc":"2.0","method":"handle_game_invitation","params":%s,"id":1}`, body)
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost:8001\r\nUser-Agent: league\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(call), call)
}

// withoutGate hides that a handler accepts requests from the gate.
func withoutGate(h http.Handler) http.Handler { return http.HandlerFunc(h.ServeHTTP) }

// A caller is a client that allocates nothing: all its answers have the same length.
type caller struct {
	net.Conn
	request, answer []byte
}

func newCaller(t testing.TB, h http.Handler) *caller {
	s, err := rpc.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, h) }()
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.Port()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	c := &caller{Conn: conn, request: []byte(postedInvitation(t))}
	c.answer = make([]byte, c.first(t))
	return c
}

// first makes a call and returns the length of its answer.
func (c *caller) first(t testing.TB) int {
	if _, err := c.Write(c.request); err != nil {
		t.Fatal(err)
	}
	in := &counted{Reader: c.Conn}
	resp, err := http.ReadResponse(bufio.NewReader(in), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), "GAME_JOIN_ACK") {
		t.Fatalf("got %d %s, %v", resp.StatusCode, body, err)
	}
	return in.n
}

type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += n
	return n, err
}

func (c *caller) call(t testing.TB) {
	if _, err := c.Write(c.request); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, c.answer); err != nil {
		t.Fatal(err)
	}
}

// cpu is how long this process has run on any core.
func cpu(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkServe is the server's side of an exchange, with a client that costs two system calls and no objects.
func BenchmarkServe(b *testing.B) {
	for name, h := range map[string]http.Handler{
		"gate": newPlayer(rpc.Options{}), "net/http": withoutGate(newPlayer(rpc.Options{})),
	} {
		b.Run(name, func(b *testing.B) {
			c := newCaller(b, h)
			b.ReportAllocs()
			before := cpu(b)
			for b.Loop() {
				c.call(b)
			}
			b.ReportMetric(float64(cpu(b)-before)/float64(b.N)/1e3, "cpu-µs/op")
		})
	}
}
