package placement

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	nats "github.com/nats-io/nats-server/v2/server"

	"agentleague/engine/engines"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
	"agentleague/server"
)

// How large the leagues of the benchmark are: 10 players that meet 8 times play 360 matches.
const (
	benchPlayers = 10
	benchCycles  = 8
	benchMatches = benchPlayers * (benchPlayers - 1) / 2 * benchCycles
)

// BenchmarkClusterAgainstJournal plays the same league in turns on a journal and on three NATS servers of this process that
// sync every write, as one manager does. It reports the matches a second of each, and their ratio:
//
//	go test ./cluster/placement -run '^$' -bench ClusterAgainstJournal -benchtime 5x
func BenchmarkClusterAgainstJournal(b *testing.B) {
	nodes, err := engines.Parse(threeNodes(b), engines.Options{})
	if err != nil {
		b.Fatal(err)
	}
	alone := benchServer(b, func(ctx context.Context) (*server.Server, error) {
		return server.Open(ctx, newEnv(b), server.Options{})
	})
	shared := benchServer(b, func(ctx context.Context) (*server.Server, error) {
		return Open(ctx, newEnv(b), server.Options{Engine: nodes}, func(string) {})
	})
	var took [2]time.Duration
	for n := 0; b.Loop(); n++ {
		took[0] += playBench(b, alone, n)
		took[1] += playBench(b, shared, n)
	}
	rate := func(d time.Duration) float64 { return float64(benchMatches*b.N) / d.Seconds() }
	b.ReportMetric(rate(took[0]), "journal-matches/s")
	b.ReportMetric(rate(took[1]), "cluster-matches/s")
	b.ReportMetric(rate(took[1])/rate(took[0]), "ratio")
}

// benchServer opens a server that is ended with the benchmark.
func benchServer(b *testing.B, open func(context.Context) (*server.Server, error)) *server.Server {
	b.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(b.Context()))
	c, err := open(ctx)
	if err != nil {
		stop()
		b.Fatal(err)
	}
	b.Cleanup(func() {
		stop()
		if err := c.Wait(); err != nil {
			b.Error(err)
		}
	})
	return c
}

// playBench plays a league of built-in agents, and returns how long it took from its start to its end, by its log.
func playBench(b *testing.B, c *server.Server, n int) (took time.Duration) {
	b.Helper()
	bots := make([]string, benchPlayers)
	for i := range bots {
		bots[i] = "random"
	}
	id, err := c.Organizer.Create(b.Context(), &protocol.CreateLeague{
		Envelope: protocol.Envelope{LeagueID: fmt.Sprintf("bench_%d", n)}, Players: benchPlayers, Cycles: benchCycles, Bots: bots,
	}, "bench")
	if err != nil {
		b.Fatal(err)
	}
	l, err := c.Leagues.Visit(id)
	if err != nil {
		b.Fatal(err)
	}
	<-l.Manager.Done()
	l.Manager.Read(func(s *league.State) { took = s.CompletedAt.Sub(s.StartedAt) })
	return took
}

// threeNodes runs three NATS servers until the benchmark ends, and returns the engine's address.
func threeNodes(b *testing.B) string {
	b.Helper()
	var routes []*url.URL
	var opts []*nats.Options
	for i := range 3 {
		port := rpctest.Port()
		opts = append(opts, &nats.Options{
			ServerName: fmt.Sprintf("n%d", i+1), Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: filepath.Join(b.TempDir(), "js"), SyncAlways: true,
			Cluster: nats.ClusterOpts{Name: "bench", Host: "127.0.0.1", Port: port},
		})
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
	}
	var at []string
	for _, o := range opts {
		o.Routes = routes
		s, err := nats.NewServer(o)
		if err != nil {
			b.Fatal(err)
		}
		go s.Start()
		b.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		if !s.ReadyForConnections(time.Minute) {
			b.Fatal("a NATS server does not come up")
		}
		at = append(at, s.Addr().String())
	}
	return "nats://" + strings.Join(at, ",")
}
