package rpc

import (
	"sync"

	"agentleague/rpc/wire"
)

// maxTargets is how many endpoints are remembered. A manager of ten thousand players calls as many.
const maxTargets = 1 << 14

// targets are the endpoints that were called, as they have been read.
type targets struct {
	mu    sync.RWMutex
	known map[string]*wire.Target
}

// at returns where an endpoint of plain HTTP is; nil, if it is one of another scheme.
func (t *targets) at(endpoint string) (*wire.Target, error) {
	t.mu.RLock()
	to := t.known[endpoint]
	t.mu.RUnlock()
	if to != nil {
		return to, nil
	}
	u, err := parseEndpoint(endpoint)
	if err != nil || u.Scheme != "http" {
		return nil, err
	}
	to = wire.NewTarget(u)
	if u.RawQuery == "" { // some peers are told a message in a query, which is another every time
		t.keep(endpoint, to)
	}
	return to, nil
}

// keep remembers a target. When there are too many, all others are read again.
func (t *targets) keep(endpoint string, to *wire.Target) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil || len(t.known) >= maxTargets {
		t.known = map[string]*wire.Target{}
	}
	t.known[endpoint] = to
}
