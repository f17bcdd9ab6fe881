package rpc

import (
	"context"
	"time"
)

// A Network carries a node's calls and its waiting.
type Network interface {
	// Post sends body to url and returns the answer, with any status. The label describes the call. A deadline of ctx
	// counts even if no timer is set for it (see [Within]).
	Post(ctx context.Context, url, label string, body []byte) (status int, answer []byte, err error)
	// Probe returns nil if anything at all answers there.
	Probe(ctx context.Context, url string) error
	// Sleep returns after d, or with an error when ctx ends before, be it by a deadline that no timer is set for
	// (see [Within]).
	Sleep(ctx context.Context, label string, d time.Duration) error
	// Addresses returns the addresses from which the agent at an endpoint can call.
	Addresses(ctx context.Context, endpoint string) []string
	// Random fills b with random bytes.
	Random(b []byte)
}
