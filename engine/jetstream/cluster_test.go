package jetstream_test

import (
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"agentleague/engine/jetstream"
	"agentleague/rpc/rpctest"
)

// patience is how long anything may take on a busy machine.
const patience = 90 * time.Second

// A cluster is some NATS servers in this process.
type cluster struct {
	t     testing.TB
	nodes []*server.Server
	opts  []*server.Options
}

// start runs n servers with separate stores, and waits until they have elected a leader.
func start(t testing.TB, n int, change ...func(*server.Options)) *cluster {
	t.Helper()
	c := &cluster{t: t}
	var routes []*url.URL
	for i := range n {
		o := &server.Options{
			ServerName: fmt.Sprintf("n%d", i+1), Host: "127.0.0.1", Port: rpctest.Port(), HTTPHost: "127.0.0.1", HTTPPort: -1,
			JetStream: true, StoreDir: filepath.Join(t.TempDir(), "js"), SyncAlways: true, NoSigs: true, NoLog: true,
		}
		if n > 1 {
			o.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: rpctest.Port()}
			routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", o.Cluster.Port)})
		}
		for _, f := range change {
			f(o)
		}
		c.opts = append(c.opts, o)
	}
	for _, o := range c.opts {
		o.Routes = routes
		c.nodes = append(c.nodes, nil)
	}
	c.startAll()
	t.Cleanup(c.stopAll)
	return c
}

func (c *cluster) startAll() {
	c.t.Helper()
	for i, o := range c.opts {
		s, err := server.NewServer(o.Clone())
		if err != nil {
			c.t.Fatal(err)
		}
		go s.Start()
		c.nodes[i] = s
	}
	for _, s := range c.nodes {
		if !s.ReadyForConnections(patience) {
			c.t.Fatal("a NATS server does not come up")
		}
	}
	if len(c.nodes) == 1 {
		return
	}
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		for _, s := range c.nodes {
			if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == len(c.nodes) {
				return
			}
		}
		if time.Now().After(end) {
			c.t.Fatal("the NATS servers find no leader")
		}
	}
}

func (c *cluster) stopAll() {
	for _, s := range c.nodes {
		s.Shutdown()
	}
	for _, s := range c.nodes {
		s.WaitForShutdown()
	}
}

// options are how to reach the cluster.
func (c *cluster) options(prefix string) jetstream.Options {
	var all []string
	for _, s := range c.nodes {
		all = append(all, s.ClientURL())
	}
	return jetstream.Options{
		Servers: strings.Join(all, ","), Replicas: len(c.nodes), Partitions: 4, Prefix: prefix, Patience: patience,
		Logger: slog.New(slog.DiscardHandler),
	}
}

// monitors returns the addresses of the servers' monitoring pages.
func (c *cluster) monitors() (out []string) {
	for _, s := range c.nodes {
		out = append(out, "http://"+s.MonitorAddr().String())
	}
	return out
}

// open returns a handle that is closed with the test.
func (c *cluster) open(o jetstream.Options) *jetstream.Engine {
	c.t.Helper()
	e, err := jetstream.Open(c.t.Context(), o)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = e.Close() })
	return e
}
