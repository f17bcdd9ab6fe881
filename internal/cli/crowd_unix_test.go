//go:build !windows

package cli

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/config"
	"agentleague/rpc/rpctest"
)

// Loiterers are connections that want nothing but to be there.
type loiterers struct {
	ctx    context.Context
	group  sync.WaitGroup
	opened atomic.Int64
}

// loiter keeps that number of connections open to addresses, until the test ends or stop is called: idle ones, and slow
// ones that send a header byte by byte.
func loiter(t *testing.T, addrs []string, idle, slow int) (c *loiterers, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c = &loiterers{ctx: ctx}
	stop = func() { cancel(); c.group.Wait() }
	t.Cleanup(stop)
	for n := range idle + slow {
		addr := addrs[n%len(addrs)]
		c.group.Go(func() {
			for ctx.Err() == nil {
				c.visit(addr, n >= idle)
				c.pause()
			}
		})
	}
	return c, stop
}

// visit opens one connection and stays until the other side has had enough.
func (c *loiterers) visit(addr string, slow bool) {
	conn, err := (&net.Dialer{}).DialContext(c.ctx, "tcp", addr)
	if err != nil {
		return
	}
	c.opened.Add(1)
	end := context.AfterFunc(c.ctx, func() { _ = conn.Close() })
	defer end()
	defer conn.Close()
	if slow {
		c.group.Go(func() { drip(c.ctx, conn) })
	}
	_, _ = io.Copy(io.Discard, conn)
}

// pause prevents a refused connection from being retried at once.
func (c *loiterers) pause() {
	select {
	case <-c.ctx.Done():
	case <-time.After(500 * time.Millisecond):
	}
}

// drip sends a header that has no end.
func drip(ctx context.Context, conn net.Conn) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	text := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
	for n := 0; ; n++ {
		b := byte('a')
		if n < len(text) {
			b = text[n]
		}
		if _, err := conn.Write([]byte{b}); err != nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// addresses waits until all agents have registered and returns the addresses of the manager, a referee and a player.
func addresses(t *testing.T, root string, players int) (out []string) {
	t.Helper()
	var agents config.Agents
	rpctest.Eventually(t, "everybody", func() bool {
		b, err := os.ReadFile(filepath.Join(root, "data/leagues", theLeague, "agents.json"))
		return err == nil && json.Unmarshal(b, &agents) == nil && len(agents.Players) == players && len(agents.Referees) > 0
	})
	for _, endpoint := range []string{agents.LeagueManager.Endpoint, agents.Referees[0].Endpoint, agents.Players[0].DefaultEndpoint} {
		u, err := url.Parse(endpoint)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, u.Host)
	}
	return out
}

type shownResult struct {
	Matches         int `json:"matches"`
	TechnicalLosses int `json:"technical_losses"`
}

func TestLongACrowdOfIdleAndSlowConnectionsStopsNoLeague(t *testing.T) {
	t.Parallel()
	withstand(t, 0)
}

// A process that may open few files runs out of them long before the crowd does.
func TestLongACrowdStopsNoLeagueThatMayOpenFewFiles(t *testing.T) {
	t.Parallel()
	withstand(t, 256)
}

// withstand runs a league with a limit of open files, 0 being the limit of the test, under a flood of connections.
func withstand(t *testing.T, mayOpen int) {
	t.Helper()
	root := t.TempDir()
	p := startLimited(t, mayOpen, "run", "--root", root, "--port", "0", "--referees", "1", "--cycles", "16", "--pace", "300ms", "--json")
	crowd, stop := loiter(t, addresses(t, root, 4), 1000, 200)
	rpctest.Eventually(t, "the crowd", func() bool { return crowd.opened.Load() > 1100 })
	if folded(t, root).Completed() {
		t.Error("the league was over before the crowd came: this shows nothing")
	}
	status := p.status()
	stop()
	var got shownResult
	if err := json.Unmarshal([]byte(p.out.String()), &got); err != nil || status != 0 {
		t.Fatalf("status %d: %v", status, err)
	}
	if got.Matches != 96 || got.TechnicalLosses != 0 {
		t.Errorf("got %+v, want 96 matches and no technical loss", got)
	}
	if n := crowd.opened.Load(); n < 2000 {
		t.Errorf("%d connections were opened, so that hardly one was cut off: this shows little", n)
	}
}
