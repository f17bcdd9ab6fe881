package rpc

import (
	"context"
	"net"
	"net/url"
	"slices"
)

// sameManager reports whether two addresses are those of one manager: the same scheme and port of one machine, under
// any name. Paths distinguish leagues and keys, not managers.
func sameManager(ctx context.Context, n Network, asked, said string) bool {
	a, errA := url.Parse(asked)
	b, errB := url.Parse(said)
	if errA != nil || errB != nil || a.Scheme != b.Scheme || portOf(a) != portOf(b) {
		return false
	}
	return a.Hostname() == b.Hostname() || sameMachine(n.Addresses(ctx, asked), n.Addresses(ctx, said))
}

// portOf is the port of an address, the usual one if it names none.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// sameMachine reports whether two lists of addresses can be those of one machine.
func sameMachine(a, b []string) bool {
	for _, addr := range a {
		if comesFrom(addr, b) {
			return true
		}
	}
	return isHere(a) && isHere(b)
}

// isHere reports whether one of the addresses is of this machine.
func isHere(addrs []string) bool { return slices.ContainsFunc(addrs, IsHere) }

// IsHere reports whether an address is one of this machine.
func IsHere(addr string) bool {
	ip := net.ParseIP(addr)
	if addr == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		return true
	}
	own, _ := net.InterfaceAddrs() // without them only loopback is known to be local
	return ip != nil && slices.ContainsFunc(own, func(o net.Addr) bool {
		n, ok := o.(*net.IPNet)
		return ok && n.IP.Equal(ip)
	})
}
