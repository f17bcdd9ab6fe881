package rpctest

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// Port returns a port for an agent that is to be found at it later, or that
// leaves it and comes back: one at which nobody listens, and that the system
// gives to nobody who asks for any.
func Port() (int, error) {
	const first, many = 20_000, 10_000 // below those that systems give away
	for range 100 {
		port := first + rand.IntN(many)
		if isFree("127.0.0.1", port) && isFree("::1", port) {
			return port, nil
		}
	}
	return 0, errors.New("no port is free")
}

// isFree reports whether nobody listens there. A machine without that address has
// nobody there either.
func isFree(host string, port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return host == "::1" && !hasIPv6()
	}
	return l.Close() == nil
}

func hasIPv6() bool {
	l, err := net.Listen("tcp", "[::1]:0")
	return err == nil && l.Close() == nil
}
