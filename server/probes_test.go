package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"agentleague/engine"
	"agentleague/engine/engines"
	"agentleague/engine/sim"
	"agentleague/metrics/metricstest"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

func TestAServerIsReadyOnceItsLeaguesAreOpenAndUntilItDrains(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	wantProbe(t, c, "/livez", http.StatusOK, "ok\n")
	wantProbe(t, c, "/readyz", http.StatusServiceUnavailable, "not ready\nleagues: the leagues are still being opened\n")
	if err := c.Discover(); err != nil {
		t.Fatal(err)
	}
	wantProbe(t, c, "/readyz", http.StatusOK, "ok\n")
	c.Drain(t.Context())
	wantProbe(t, c, "/readyz", http.StatusServiceUnavailable,
		"not ready\nprocess: the manager is shutting down and starts no further matches\n")
	wantProbe(t, c, "/livez", http.StatusOK, "ok\n")
}

func TestAServerWhoseLogCannotBeWrittenIsNotReady(t *testing.T) {
	t.Parallel()
	var fault atomic.Int64
	disk := sim.New(1)
	h := newEnv(t)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	c, err := Open(ctx, h, Options{Engine: engines.Own(false, func(context.Context, string, *slog.Logger) (engines.Engine, error) {
		return inMemory{disk.Open(sim.Options{Fault: func(key string) sim.Fault {
			if strings.HasPrefix(key, "append") {
				return sim.Fault(fault.Load())
			}
			return sim.None
		}})}, nil
	})})
	if err != nil {
		stop()
		t.Fatal(err)
	}
	defer func() {
		stop()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}()
	c.Opened()
	for _, f := range []struct {
		fault sim.Fault
		says  string
	}{
		{sim.Full, "log: nothing can be written for league_2025_even_odd: there is no room; free some space\n"},
		{sim.Away, "log: the log of league_2025_even_odd is not where it was; put it back as it was\n"},
	} {
		fault.Store(int64(f.fault))
		rpctest.Eventually(t, "not ready", func() bool {
			_ = c.First.Manager.Orders.Pause(t.Context(), "a test") // something to write
			status, body := probe(t, c, "/readyz")
			return status == http.StatusServiceUnavailable && body == "not ready\n"+f.says
		})
		wantProbe(t, c, "/livez", http.StatusOK, "ok\n")
		fault.Store(int64(sim.None))
		rpctest.Eventually(t, "ready again", func() bool {
			status, _ := probe(t, c, "/readyz")
			return status == http.StatusOK
		})
	}
}

func TestOneAddressShowsTheFiguresOfAllOpenLeagues(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	order := &protocol.CreateLeague{}
	order.LeagueID = "spring"
	if _, err := c.Organizer.Create(t.Context(), order, "a test"); err != nil {
		t.Fatal(err)
	}
	_, body := probe(t, c, "/metrics/leagues")
	got, err := metricstest.Read(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"spring", c.First.ID()} {
		if n := got[`league_append_duration_seconds_count{agent="league_manager",league_id="`+id+`",outcome="ok"}`]; n == 0 {
			t.Errorf("%s: no appends are shown", id)
		}
	}
}

func TestProbesAreForReading(t *testing.T) {
	t.Parallel()
	c := openServer(t, "even_odd", nil, 2)
	for _, path := range []string{"/livez", "/readyz", "/metrics/leagues"} {
		resp, err := http.Post(c.base+path, "text/plain", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: got %s", path, resp.Status)
		}
	}
}

// inMemory is an engine in memory as a server wants it.
type inMemory struct{ engine.Engine }

func (inMemory) HeldAt(string) error                    { return nil }
func (inMemory) KeepHead(context.Context, string) error { return nil }
func (inMemory) Check(context.Context, string) error    { return nil }

func wantProbe(t *testing.T, c *Server, path string, status int, body string) {
	t.Helper()
	if gotStatus, gotBody := probe(t, c, path); gotStatus != status || gotBody != body {
		t.Errorf("%s: got %d %q, want %d %q", path, gotStatus, gotBody, status, body)
	}
}

func probe(t *testing.T, c *Server, path string) (status int, body string) {
	t.Helper()
	resp, err := http.Get(c.base + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}
