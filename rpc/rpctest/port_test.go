package rpctest_test

import (
	"fmt"
	"net"
	"testing"

	"agentleague/rpc/rpctest"
)

// A port is reused only after many others, and not while it has a listener.
func TestAPortIsGivenOnce(t *testing.T) {
	first := rpctest.Port()
	held, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first))
	if err != nil {
		t.Fatalf("the port that was given is not free: %v", err)
	}
	defer held.Close()
	seen := map[int]bool{first: true}
	for range 50 {
		port := rpctest.Port()
		if seen[port] {
			t.Fatalf("%d was given twice", port)
		}
		seen[port] = true
	}
	for range 50 {
		if rpctest.Port() == first {
			t.Errorf("%d was given while somebody listens there", first)
		}
	}
}
