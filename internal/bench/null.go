package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
)

// null is R_null, the floor: bytes that have the form of HTTP/1.1 go to and fro, and nobody reads what they say.
var null = yardstick{name: "null", serve: serveNull, call: callNull}

// As long as a question to a player and its answer are.
var (
	nullQuestion = nullMessage("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n", 560)
	nullAnswer   = nullMessage("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", 400)
)

func nullMessage(head string, body int) []byte {
	return fmt.Appendf(nil, "%sContent-Length: %d\r\n\r\n%s", head, body, strings.Repeat("x", body))
}

func serveNull(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	var open sync.WaitGroup
	defer open.Wait()
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		open.Go(func() {
			defer c.Close()
			defer context.AfterFunc(ctx, func() { _ = c.Close() })()
			answerNull(c)
		})
	}
}

func answerNull(c net.Conn) {
	in := bufio.NewReader(c)
	question := make([]byte, len(nullQuestion))
	for {
		if _, err := io.ReadFull(in, question); err != nil {
			return
		}
		if _, err := c.Write(nullAnswer); err != nil {
			return
		}
	}
}

func callNull(address string) (func() error, func()) {
	c, failed := net.Dial("tcp", address)
	if failed != nil {
		return func() error { return failed }, func() {}
	}
	in := bufio.NewReader(c)
	answer := make([]byte, len(nullAnswer))
	return func() error {
		if _, err := c.Write(nullQuestion); err != nil {
			return err
		}
		_, err := io.ReadFull(in, answer)
		return err
	}, func() { _ = c.Close() }
}
