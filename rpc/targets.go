package rpc

import (
	"net"
	"net/url"
	"sync"

	"agentleague/rpc/wire"
)

// maxTargets limits the number of cached endpoints. A manager of ten thousand players calls that many.
const maxTargets = 1 << 14

// targets are the endpoints that were called, as they have been read.
type targets struct {
	mu    sync.RWMutex
	known map[string]*target
}

// A target is an endpoint of plain HTTP. It does not change.
type target struct {
	to   *wire.Target
	from []string // the address that is written in it, from which its agent calls; nil: it has a name
}

// at returns where an endpoint of plain HTTP is; nil, if it is one of another scheme.
func (t *targets) at(endpoint string) (*wire.Target, error) {
	if known := t.kept(endpoint); known != nil {
		return known.to, nil
	}
	u, err := parseEndpoint(endpoint)
	if err != nil || u.Scheme != "http" {
		return nil, err
	}
	one := &target{wire.NewTarget(u), written(u)}
	if u.RawQuery == "" { // some peers receive a message in a query, which varies
		t.keep(endpoint, one)
	}
	return one.to, nil
}

// kept returns the cached target of an endpoint, or nil.
func (t *targets) kept(endpoint string) *target {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.known[endpoint]
}

// written returns the literal address in an endpoint, and nil for a name, which may change its meaning. "localhost"
// stands for every loopback address.
func written(u *url.URL) []string {
	host := u.Hostname()
	if net.ParseIP(host) != nil || host == "localhost" {
		return []string{host}
	}
	return nil
}

// keep caches a target. A full cache is cleared.
func (t *targets) keep(endpoint string, one *target) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil || len(t.known) >= maxTargets {
		t.known = map[string]*target{}
	}
	t.known[endpoint] = one
}
