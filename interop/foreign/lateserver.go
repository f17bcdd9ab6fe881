package foreign

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// A lateServer is an HTTP server that may reserve its port before it listens.
type lateServer struct {
	http   *http.Server
	port   int
	served chan error // nil while it does not listen
}

// listen starts serving at a port on IPv4 only, as many programs do.
func (s *lateServer) listen(port int) error {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	s.port, s.served = l.Addr().(*net.TCPAddr).Port, make(chan error, 1)
	go func() { s.served <- s.http.Serve(l) }()
	return nil
}

// reserve finds a free port outside the range that the system assigns, so that it is most likely still free when the
// server starts to listen.
func (s *lateServer) reserve() error {
	for range 100 {
		port := 20_000 + rand.IntN(10_000)
		l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		s.port = port
		return l.Close()
	}
	return errors.New("no free port")
}

// listenAfter listens at the reserved port after a delay. A delay of 0 means that the server listens already.
func (s *lateServer) listenAfter(ctx context.Context, delay time.Duration) error {
	if delay == 0 {
		return nil
	}
	select {
	case <-time.After(delay):
		return s.listen(s.port)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close ends the server, if it listens.
func (s *lateServer) close() {
	_ = s.http.Close()
	if s.served != nil {
		<-s.served
	}
}
