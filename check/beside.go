package check

import (
	"context"
	"fmt"

	"agentleague/protocol"
)

// Some players call their referee at a fixed port, whatever address they receive. The checker listens there too.

// hearBeside listens on those ports as well, where they are free.
func (s *session) hearBeside(ctx context.Context) {
	if s.Port != 0 {
		s.hears(ctx, s.Port+1)
	}
	if c := s.Callbacks; c != 0 && c != s.Port && (s.Port == 0 || c != s.Port+1) && !s.hears(ctx, c) {
		s.deaf = c
	}
}

// hears listens on a port until the check ends, and reports whether that succeeded.
func (s *session) hears(ctx context.Context, port int) bool {
	_, stop, err := s.manager.listen(ctx, port)
	if err == nil {
		s.atEnd(stop)
	}
	return err == nil
}

// unheard adds to why an answer is missing that it may have been sent to where the checker could not listen.
func (s *session) unheard(err error) error {
	if s.deaf == 0 || !protocol.Is(err, protocol.Timeout) {
		return err
	}
	return fmt.Errorf("%w; if it calls its referee at port %d, end what uses that port here and check again", err, s.deaf)
}
