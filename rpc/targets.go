package rpc

import (
	"net"
	"net/url"
	"sync"

	"agentleague/rpc/wire"
)

// maxTargets is the maximum number of cached endpoints. A manager of ten thousand players calls that many.
const maxTargets = 1 << 14

// targets caches parsed endpoints.
type targets struct {
	mu    sync.RWMutex
	known map[string]*target
}

// A target is a parsed endpoint of plain HTTP. It is immutable.
type target struct {
	to   *wire.Target
	from []string // the address that is written in it, from which its agent calls; nil: it has a name
}

// at returns the target of an endpoint, or nil if its scheme is not http.
func (t *targets) at(endpoint string) (*wire.Target, error) {
	if known := t.cached(endpoint); known != nil {
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

// cached returns the target of an endpoint from the cache, or nil.
func (t *targets) cached(endpoint string) *target {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.known[endpoint]
}

// written returns the literal address in an endpoint, or nil for a host name, whose address may change. "localhost" is
// returned as it is and stands for all loopback addresses.
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
