package gateway

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"agentleague/rpc"
)

// Serve answers the agent's requests on a loopback listener until ctx ends. It refuses requests by other host names.
func Serve(ctx context.Context, l net.Listener, g *Gateway) error {
	s := &http.Server{
		Handler: rpc.HostCheck{}.Wrap(g), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 64 << 10,
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	err := s.Shutdown(last)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.Close()
	}
	if ended := <-done; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}
