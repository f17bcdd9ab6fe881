//go:build !race

package wire

import (
	"bufio"
	"context"
	"net"
	"testing"
)

// A call under a context that is watched has one object: the answer. The race detector lets
// pools forget objects, so it does not watch this test.
func TestCallIsOneObject(t *testing.T) {
	to, p := newPeer(t, func(_ int64, c *net.TCPConn, _ *bufio.Reader) {
		in, out := make([]byte, 4<<10), []byte(ours)
		for {
			if _, err := c.Read(in); err != nil {
				return
			}
			_, _ = c.Write(out)
		}
	}), newPool()
	base, end := context.WithCancel(t.Context())
	defer end()
	p.Watch(base)
	body := []byte("{}")
	got := testing.AllocsPerRun(1000, func() {
		if _, _, err := p.Post(base, to.Target, body, 1<<20); err != nil {
			t.Fatal(err)
		}
	})
	if got > 1 {
		t.Errorf("a call has %v objects, want 1", got)
	}
}
