package rpctest

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

// The ports of this package are below the range that systems assign. Concurrent test programs use different parts,
// and each returns a port once: its user may take a while to listen there.
const (
	firstPort = 20_000
	parts     = 100
	portsEach = 100
)

// given is how many ports this process has given away: each in its turn, so that none comes again soon.
var given atomic.Int64

// part is where this process's part begins. It listens there until it ends, so that no other takes the same part.
var part = sync.OnceValue(func() net.Listener {
	for i := range parts {
		first := firstPort + (os.Getpid()+i)%parts*portsEach
		if l, err := net.Listen("tcp", address("127.0.0.1", first)); err == nil {
			return l
		}
	}
	panic(fmt.Sprintf("the ports from %d to %d are all taken", firstPort, firstPort+parts*portsEach-1))
})

// Port returns a port for an agent that listens on it later, or repeatedly: a free one, outside of the range that the
// system assigns.
func Port() int {
	first := part().Addr().(*net.TCPAddr).Port + 1
	for range portsEach {
		port := first + int(given.Add(1)%(portsEach-1))
		if isFree("127.0.0.1", port) && isFree("::1", port) {
			return port
		}
	}
	panic(fmt.Sprintf("the ports from %d to %d are all taken", first, first+portsEach-2))
}

// Nowhere returns an address at which no server answers. The address of a closed server could be reassigned.
func Nowhere() string { return "http://" + address("127.0.0.1", Port()) }

// isFree reports whether no server listens there. A machine without that address has none there either.
func isFree(host string, port int) bool {
	l, err := net.Listen("tcp", address(host, port))
	if err != nil {
		return host == "::1" && !hasIPv6()
	}
	return l.Close() == nil
}

func address(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

// hasIPv6 reports whether this machine has an IPv6 loopback, on which a port has to be free as well.
func hasIPv6() bool {
	l, err := net.Listen("tcp", "[::1]:0")
	return err == nil && l.Close() == nil
}
