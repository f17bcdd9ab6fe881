package jetstream_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"agentleague/engine"
)

// While the nodes go down and come back in turn, every entry that is acknowledged is in the log once, in its place, and
// with two of three nodes the log goes on.
func TestLongAppendsGoOnWhileNodesGoDownInTurn(t *testing.T) {
	c := start(t, 3)
	e := c.open(c.options("p"))
	n := appendMore(t, e, 0)
	for i := range c.nodes {
		c.nodes[i].Shutdown()
		n = appendMore(t, e, n)
		c.nodes[i].WaitForShutdown()
		c.restart(i)
		n = appendMore(t, e, n)
	}
	read := 0
	for entry, err := range e.Read(t.Context(), "league", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if read++; string(entry.Data) != fmt.Sprintf(`["entry %d"]`, read) {
			t.Fatalf("entry %d is %s", read, entry.Data)
		}
	}
	if read != n {
		t.Errorf("read %d entries, %d were acknowledged", read, n)
	}
}

// appendMore appends twenty entries to a log of n.
func appendMore(t *testing.T, e engine.Engine, n int) int {
	t.Helper()
	for range 20 {
		at, err := e.Append(t.Context(), "league", uint64(n), fmt.Appendf(nil, `["entry %d"]`, n+1))
		if err != nil || at.Seq != uint64(n)+1 {
			t.Fatalf("append %d: it is at %d, error %v", n+1, at.Seq, err)
		}
		n++
	}
	return n
}

// restart restarts a node, and waits until it has the state of the others.
func (c *cluster) restart(i int) {
	c.t.Helper()
	s, err := server.NewServer(c.opts[i].Clone())
	if err != nil {
		c.t.Fatal(err)
	}
	go s.Start()
	c.nodes[i] = s
	for end := time.Now().Add(patience); !s.ReadyForConnections(time.Second) || !s.JetStreamIsCurrent(); {
		if time.Now().After(end) {
			c.t.Fatal("a NATS server does not come back")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
