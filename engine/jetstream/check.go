package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// check returns an error if the cluster could lose acknowledged data.
func (c *connection) check(ctx context.Context) error {
	if err := c.checkVersion(); err != nil {
		return err
	}
	err := c.retry(ctx, func(ctx context.Context) error {
		_, err := c.js.AccountInfo(ctx)
		if errors.Is(err, jetstream.ErrJetStreamNotEnabled) { // which also means "not ready yet"
			return fmt.Errorf("%w: %w", errNever, err)
		}
		return err
	})
	if err != nil {
		if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
			return fmt.Errorf("JetStream is not enabled there (%w); start the servers with -js, or enable it for the account", err)
		}
		return err
	}
	if remote := c.o.anonymous(); remote != "" {
		c.warn("NATS at %s is used without credentials: any client that reaches it can read and write the leagues", remote)
	}
	if c.o.Replicas < 3 {
		c.warn("the log is kept on %d of the cluster's nodes: one lost disk can lose it; give replicas=3", c.o.Replicas)
	}
	return c.checkSync(ctx)
}

// oldest is the first server version with a time to live for single messages.
const oldest = "2.11.0"

// checkVersion refuses servers without the required features.
func (c *connection) checkVersion() error {
	if is := c.nats.ConnectedServerVersion(); older(is, oldest) {
		return fmt.Errorf("the server has version %s; want %s or newer", is, oldest)
	}
	return nil
}

// older compares versions such as 2.9.15.
func older(is, than string) bool {
	var a, b [3]int
	_, _ = fmt.Sscanf(is, "%d.%d.%d", &a[0], &a[1], &a[2])
	_, _ = fmt.Sscanf(than, "%d.%d.%d", &b[0], &b[1], &b[2])
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// node is the JetStream information of a server.
type node struct {
	Name   string
	Config struct {
		SyncAlways   bool  `json:"sync_always"`
		SyncInterval int64 `json:"sync_interval"` // nanoseconds
	} `json:"config"`
}

// checkSync returns an error if a node acknowledges data before it is synced to disk: a power cut on that node loses
// the data, and on all nodes at once the cluster does.
func (c *connection) checkSync(ctx context.Context) error {
	var nodes []node
	var err error
	switch {
	case len(c.o.Monitors) > 0:
		nodes, err = c.askMonitors(ctx)
	case c.o.System != "":
		nodes, err = c.askSystem(ctx)
	default:
		c.warn("could not check whether the NATS servers sync every write: give monitor=http://HOST:8222,… or system=CREDENTIALS " +
			"with the engine's address. Each server needs sync_interval: always in its jetstream block")
		return nil
	}
	if err != nil {
		return fmt.Errorf("how the servers sync could not be read: %w", err)
	}
	for _, n := range nodes {
		if !n.Config.SyncAlways {
			return fmt.Errorf("server %s syncs every %v, so a power failure can lose what was acknowledged; "+
				"set sync_interval: always in its jetstream block", n.Name, time.Duration(n.Config.SyncInterval))
		}
	}
	if len(nodes) < c.o.Replicas {
		c.warn("how %d servers sync was checked, and the log is on %d", len(nodes), c.o.Replicas)
	}
	return nil
}

// askMonitors returns the settings of each node from its monitoring address. It logs nodes that do not answer, and
// returns an error if none does.
func (c *connection) askMonitors(ctx context.Context) (out []node, err error) {
	for _, base := range c.o.Monitors {
		n, failed := askMonitor(ctx, strings.TrimRight(base, "/"))
		if failed != nil {
			c.warn("could not check how a NATS server syncs: %v", failed)
			err = errors.Join(err, failed)
			continue
		}
		out = append(out, n)
	}
	if len(out) > 0 {
		err = nil
	}
	return out, err
}

// askMonitor reads the sync setting of a server from its monitoring port, because the client protocol does not have it.
func askMonitor(ctx context.Context, base string) (node, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/jsz?config=1", nil)
	if err != nil {
		return node{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return node{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil || resp.StatusCode != http.StatusOK {
		return node{}, fmt.Errorf("%s/jsz?config=1 answered %s", base, resp.Status)
	}
	n := node{Name: base}
	if err := json.Unmarshal(text, &n); err != nil {
		return node{}, fmt.Errorf("%s/jsz?config=1: %w", base, err)
	}
	return n, nil
}

// askSystem requests the settings of all nodes over the system account.
func (c *connection) askSystem(ctx context.Context) (out []node, err error) {
	o := c.o
	o.Credentials = o.System
	conn, err := nats.Connect(o.Servers, o.dialing()...)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	inbox := conn.NewRespInbox()
	answers, err := conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	if err := conn.PublishRequest("$SYS.REQ.SERVER.PING.JSZ", inbox, []byte(`{"config":true}`)); err != nil {
		return nil, err
	}
	for ctx.Err() == nil {
		m, err := answers.NextMsg(time.Second) // those that answer do so within milliseconds
		if err != nil {
			break
		}
		var said struct {
			Server struct{ Name string } `json:"server"`
			Data   node                  `json:"data"`
		}
		if json.Unmarshal(m.Data, &said) == nil {
			said.Data.Name = said.Server.Name
			out = append(out, said.Data)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no server answered; is this a user of the system account?")
	}
	return out, nil
}
