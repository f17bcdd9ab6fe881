package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// A Question is a league.v2 request that arrived in a form that cannot be relayed as HTTP, such as a tool call in an
// MCP session, which belongs to the manager that opened it.
type Question struct {
	Caller string // the caller's address, without a port
	Token  string // presented beside the message; "": none
	Via    string // the address of this manager, to which it was sent
	Path   string // the other manager's path for such a request
	Body   []byte // as JSON-RPC has it
}

// ErrBroken means that a manager disconnected while it answered: the request may or may not have taken effect.
var ErrBroken = errors.New("the manager of the league went away while it answered")

// mostAnswered is the limit of an answer in bytes.
const mostAnswered = 8 << 20

// Ask sends a question to the manager at an address as if its caller had posted it there, and returns the answer.
// After [ErrUnreached] and [ErrNotHere] no manager has processed it; after [ErrBroken] one may have.
func (r *Relay) Ask(ctx context.Context, q Question, address string) ([]byte, error) {
	to, err := url.Parse(strings.TrimSuffix(address, "/") + q.Path)
	if err != nil || to.Host == "" {
		return nil, fmt.Errorf("%w: %q is no address", ErrUnreached, address)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(q.Body))
	if err != nil {
		return nil, err
	}
	who := net.JoinHostPort(q.Caller, "0") + " " + q.Via
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(header, who+" "+r.sign(who, req.Method, req.URL.RequestURI()))
	if q.Token != "" {
		req.Header.Set("Authorization", "Bearer "+q.Token)
	}
	resp, err := r.proxy.Transport.RoundTrip(req)
	if err != nil {
		return nil, unanswered(err)
	}
	defer resp.Body.Close()
	if resp.Header.Get(header) == notHere {
		return nil, ErrNotHere
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswered))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return answer, nil
}

// unanswered maps a transport failure to ErrUnreached or ErrBroken.
func unanswered(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return fmt.Errorf("%w: %w", ErrUnreached, err)
	}
	return fmt.Errorf("%w: %w", ErrBroken, err)
}
