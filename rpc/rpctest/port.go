package rpctest

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

// The ports of this package are below the range of ephemeral ports. Concurrent test processes use disjoint parts of
// them. Each process returns its ports in rotation, since a user may listen on its port only later.
const (
	firstPort = 20_000
	parts     = 100
	portsEach = 100
)

// given counts the ports that this process has returned; they are used in rotation.
var given atomic.Int64

// part reserves a range of ports for this process, by listening on its first port until the process ends.
var part = sync.OnceValue(func() net.Listener {
	for i := range parts {
		first := firstPort + (os.Getpid()+i)%parts*portsEach
		if l, err := net.Listen("tcp", address("127.0.0.1", first)); err == nil {
			return l
		}
	}
	panic(fmt.Sprintf("the ports from %d to %d are all taken", firstPort, firstPort+parts*portsEach-1))
})

// Port returns a free port, below the ephemeral range, for an agent that listens on it later or repeatedly.
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

// Nowhere returns a URL at which no server listens. It is safer than the URL of a closed server, whose port the system
// may assign again.
func Nowhere() string { return "http://" + address("127.0.0.1", Port()) }

// isFree reports whether no server listens on a port of host. A host address that this machine lacks counts as free.
func isFree(host string, port int) bool {
	l, err := net.Listen("tcp", address(host, port))
	if err != nil {
		return host == "::1" && !hasIPv6()
	}
	return l.Close() == nil
}

func address(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

// hasIPv6 reports whether this machine has an IPv6 loopback address, on which a port must be free too.
func hasIPv6() bool {
	l, err := net.Listen("tcp", "[::1]:0")
	return err == nil && l.Close() == nil
}
