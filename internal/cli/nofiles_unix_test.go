//go:build !windows

package cli

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"agentleague/rpc/rpctest"
)

// A league whose process may open hardly more files than it has agents and connections is completed without a forfeit.
func TestLongALeagueIsPlayedWith64Files(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	p := startLimited(t, 64, "run", "--root", root, "--port", "0", "--referees", "1", "--cycles", "2", "--pace", "100ms")
	if status := p.status(); status != 0 {
		t.Fatalf("status %d", status)
	}
	checkWhole(t, root, 12)
}

// A run that needs more files than its process may open reports that before it starts anything.
func TestARunRefusesTooFewFiles(t *testing.T) {
	t.Parallel()
	for players, want := range map[string]string{
		"40":  `40 players in one process need 352 open files, and this process may have 64; allow more with "ulimit -n 512" in this terminal, then run the same command again`,
		"300": `300 players in one process need 664 open files, and this process may have 64; allow more with "ulimit -n 1024" in this terminal, then run the same command again`,
	} {
		p := startLimited(t, 64, "run", "--root", t.TempDir(), "--port", "0", "--players", players)
		if status, said := p.status(), p.errs.String(); status != 1 || said != "league: "+want+"\n" || p.out.String() != "" {
			t.Errorf("status %d, %q, %q; want 1 and %q", status, p.out.String(), said, want)
		}
	}
}

// The default run works where a process may open 128 files.
func TestTheDefaultRunNeeds128FilesAtMost(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	p := startLimited(t, 128, "run", "--root", root, "--port", "0")
	if status := p.status(); status != 0 {
		t.Fatalf("status %d", status)
	}
	checkWhole(t, root, 6)
}

// A manager whose connections are used up by spectators still answers other clients, and ends when interrupted.
func TestAManagerOutOfFilesAnswersAndHearsAnInterrupt(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	p := startLimited(t, 64, "manager", "--root", root, "--port", "0", "--start-after", "1h")
	at, err := url.Parse(p.endpoint())
	if err != nil {
		t.Fatal(err)
	}
	watchers := watch(t, at.Host, 300)
	rpctest.Eventually(t, "the watchers", func() bool { return watchers() > 400 }) // some more than once: they are sent away and come again
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answered := 0
	rpctest.Eventually(t, "answers", func() bool {
		resp, err := client.Get("http://" + at.Host + "/health")
		if err == nil {
			_ = resp.Body.Close()
			answered++
		}
		return answered >= 10
	})
	told := time.Now()
	p.signal(syscall.SIGTERM)
	if status := p.status(); status != 0 {
		t.Errorf("status %d, want 0", status)
	}
	if took := time.Since(told); took > 2*time.Minute {
		t.Errorf("it ended %v after it was told to", took)
	}
}

// watch keeps that number of spectators connected until the test ends; refused ones retry. It returns a function that
// counts the accepted ones.
func watch(t *testing.T, host string, n int) (begun func() int) {
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	var mu sync.Mutex
	let := 0
	for range n {
		group.Go(func() {
			for ctx.Err() == nil {
				if follow(ctx, host) {
					mu.Lock()
					let++
					mu.Unlock()
				}
				select {
				case <-ctx.Done():
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
	}
	t.Cleanup(func() { cancel(); group.Wait() })
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return let
	}
}

// follow reads the events of a league until it is sent away, and reports whether it was let in.
func follow(ctx context.Context, host string) (let bool) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		return false
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	fmt.Fprintf(conn, "GET /api/v1/leagues/%s/events HTTP/1.1\r\nHost: %s\r\n\r\n", theLeague, host)
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		let = let || strings.HasPrefix(lines.Text(), "HTTP/1.1 200")
	}
	return let
}
