package jetstream_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/engine/enginetest"
	"agentleague/engine/jetstream"
)

// laws are those of every engine, with leases in the whole seconds that the server counts in.
var laws = enginetest.Options{TTL: 2 * time.Second, Patience: patience}

func TestOneServerKeepsTheLaws(t *testing.T) { holdLaws(t, start(t, 1)) }

func TestLongThreeServersKeepTheLaws(t *testing.T) { holdLaws(t, start(t, 3)) }

// holdLaws runs every law with separate streams on one cluster.
func holdLaws(t *testing.T, c *cluster) {
	var n atomic.Int64
	enginetest.Run(t, laws, func(t *testing.T) enginetest.Store {
		o := c.options(fmt.Sprintf("law%d", n.Add(1)))
		return enginetest.Store{Open: func(t *testing.T) engine.Engine {
			e, err := jetstream.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}}
	})
}
