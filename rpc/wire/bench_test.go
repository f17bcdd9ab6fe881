package wire

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"
)

const benchAnswer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Mon, 16 Nov 2026 02:42:00 GMT\r\n" +
	"Content-Length: 64\r\n\r\n" + `{"jsonrpc":"2.0","result":{"message_type":"PONG"},"id":123456}  `

// floor answers every request unread and without an allocation.
func floor(b *testing.B) *url.URL {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				in, out := make([]byte, 4<<10), []byte(benchAnswer)
				for {
					if _, err := c.Read(in); err != nil {
						return
					}
					_, _ = c.Write(out)
				}
			}()
		}
	}()
	return &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/mcp"}
}

var benchBody = bytes.Repeat([]byte("x"), 600)

// The same call by the standard library's client, by a connection of one's own with the standard library's reader, and
// by a pool. The server takes part in the time, but not in the objects.
func BenchmarkCallTransport(b *testing.B) {
	at, client := floor(b).String(), &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
	b.ReportAllocs()
	for b.Loop() {
		ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(benchBody))
		resp, err := client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		cancel()
	}
}

func BenchmarkCallReadResponse(b *testing.B) {
	t := NewTarget(floor(b))
	conn, err := net.Dial("tcp", t.address)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
		deadline, _ := ctx.Deadline()
		_ = conn.SetDeadline(deadline)
		stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
		out = t.appendRequest(out[:0], benchBody)
		_, _ = conn.Write(out)
		if _, _, _, err := general(conn, nil, nil, 1<<20); err != nil {
			b.Fatal(err)
		}
		stop()
		cancel()
	}
}

func BenchmarkCallPool(b *testing.B) {
	t, p := NewTarget(floor(b)), newPool()
	b.ReportAllocs()
	for b.Loop() {
		ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
		if _, _, err := p.Post(ctx, t, benchBody, 1<<20); err != nil {
			b.Fatal(err)
		}
		cancel()
	}
}

// The same under a context that is watched, as most calls of an agent are.
func BenchmarkCallPoolWatched(b *testing.B) {
	t, p := NewTarget(floor(b)), newPool()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	p.Watch(ctx)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := p.Post(ctx, t, benchBody, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}
