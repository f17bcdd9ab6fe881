package jetstream_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"agentleague/engine/jetstream"
)

// refused wants Open to fail with these words.
func refused(t *testing.T, o jetstream.Options, words ...string) {
	t.Helper()
	e, err := jetstream.Open(t.Context(), o)
	if err == nil {
		_ = e.Close()
		t.Fatalf("the cluster is taken, want it refused: %v", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("got %q, want %q in it", err, w)
		}
	}
}

func TestClusterThatCanLoseWhatItAcknowledgedIsRefused(t *testing.T) {
	t.Run("no server", func(t *testing.T) {
		refused(t, jetstream.Options{Servers: "nats://user:secret@127.0.0.1:1"}, "connect to NATS at 127.0.0.1:1")
	})
	t.Run("no JetStream", func(t *testing.T) {
		c := start(t, 1, func(o *server.Options) { o.JetStream = false })
		refused(t, c.options("p"), "JetStream is not enabled", "-js")
	})
	t.Run("too few servers", func(t *testing.T) {
		o := start(t, 1).options("p")
		o.Replicas = 3
		refused(t, o, "needs 3 servers", "replicas=1")
	})
	t.Run("writes that wait", func(t *testing.T) {
		c := start(t, 1, func(o *server.Options) { o.SyncAlways, o.SyncInterval = false, time.Minute })
		o := c.options("p")
		o.Monitors = c.monitors()
		refused(t, o, "syncs every 1m0s", "sync_interval: always")
	})
	t.Run("no monitor answers", func(t *testing.T) {
		o := start(t, 1).options("p")
		o.Monitors = []string{"http://127.0.0.1:1"}
		refused(t, o, "could not be read")
	})
}

// made makes a stream before the engine does.
func made(t *testing.T, c *cluster, change func(*js.StreamConfig)) {
	t.Helper()
	conn, err := nats.Connect(c.nodes[0].ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	api, err := js.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	config := js.StreamConfig{
		Name: "P_LOG_00", Subjects: []string{"p.log.00.>"}, Storage: js.FileStorage, Discard: js.DiscardNew,
		Metadata: map[string]string{"league_partitions": "4"},
	}
	change(&config)
	if _, err := api.CreateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
}

func TestStreamThatCanLoseWhatItAcknowledgedIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*js.StreamConfig)
		words  string
	}{
		"written later":    {func(s *js.StreamConfig) { s.PersistMode = js.AsyncPersistMode }, "persist_mode async"},
		"in memory":        {func(s *js.StreamConfig) { s.Storage = js.MemoryStorage }, "Memory storage"},
		"of a certain age": {func(s *js.StreamConfig) { s.MaxAge = time.Hour }, "by age or number"},
		"of a certain number": {func(s *js.StreamConfig) {
			s.MaxMsgsPerSubject, s.Discard = 3, js.DiscardOld
		}, "by age or number"},
		"that drops the oldest": {func(s *js.StreamConfig) { s.Discard, s.MaxBytes = js.DiscardOld, 1<<20 }, "discard policy"},
		"for work":              {func(s *js.StreamConfig) { s.Retention = js.WorkQueuePolicy }, "work queue"},
		"for others":            {func(s *js.StreamConfig) { s.Metadata["league_partitions"] = "7" }, "partitions=7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cl := start(t, 1)
			made(t, cl, c.change)
			refused(t, cl.options("p"), "P_LOG_00", c.words)
		})
	}
}

func TestWhatCouldNotBeCheckedIsTold(t *testing.T) {
	c := start(t, 1)
	var said bytes.Buffer
	o := c.options("p")
	o.Logger = slog.New(slog.NewTextHandler(&said, nil))
	_ = c.open(o).Close()
	for _, want := range []string{"could not check whether the NATS servers sync every write", "one lost disk can lose it"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("got %q, want %q in it", said.String(), want)
		}
	}
	said.Reset()
	o.Monitors = c.monitors()
	_ = c.open(o).Close()
	if strings.Contains(said.String(), "could not check") {
		t.Errorf("got %q, want no word of what could not be checked", said.String())
	}
}

func TestAddressOfACluster(t *testing.T) {
	o, err := jetstream.Parse("nats://ann:word@a:4222,b:4222,c:4222?creds=/c&monitor=http://a:8222,http://b:8222&replicas=5&partitions=8&prefix=x&system=/s")
	if err != nil {
		t.Fatal(err)
	}
	if o.Servers != "nats://ann:word@a:4222,nats://ann:word@b:4222,nats://ann:word@c:4222" || o.Credentials != "/c" ||
		len(o.Monitors) != 2 || o.Replicas != 5 || o.Partitions != 8 || o.Prefix != "x" || o.System != "/s" {
		t.Errorf("got %+v", o)
	}
	for address, words := range map[string]string{
		"http://a:4222":            "want nats://",
		"nats://":                  "not a host",
		"nats://a:4222,":           "not a host",
		"nats://a:4222/x":          "not a host",
		"nats://a?replicas=0":      "replicas=0: want a number from 1 to 5",
		"nats://a?partitions=many": "partitions=many",
		"nats://a?replica=3":       "no such option",
		"nats://a?ca=/nowhere":     "/nowhere",
		"nats://a?cert=/nowhere":   "nowhere",
		"nats://a?%zz":             "question mark",
	} {
		if _, err := jetstream.Parse(address); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: got error %v, want %q in it", address, err, words)
		}
	}
}
