package metrics

import (
	"cmp"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"agentleague/protocol"
)

// other stands for every request that asks for nothing the agent takes.
const other = "other"

// exchanges counts requests or calls by type and outcome. Counting one that
// has occurred before takes no lock and no memory: its counter is found in a
// map that is replaced whole whenever there is a new row.
type exchanges struct {
	vec  *prometheus.CounterVec
	rows atomic.Pointer[map[exchange]prometheus.Counter]
	mu   sync.Mutex // held while a row is added
}

type exchange struct {
	message protocol.Type
	outcome string
}

func newExchanges(name, help string) *exchanges {
	e := &exchanges{
		vec: prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{"message_type", "outcome"}),
	}
	e.rows.Store(&map[exchange]prometheus.Counter{})
	return e
}

// count counts one exchange. Types and outcomes are of rpc's closed lists.
func (e *exchanges) count(t protocol.Type, outcome string) {
	x := exchange{t, outcome}
	c := (*e.rows.Load())[x]
	if c == nil {
		c = e.add(x)
	}
	c.Inc()
}

func (e *exchanges) add(x exchange) prometheus.Counter {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.vec.WithLabelValues(cmp.Or(string(x.message), other), x.outcome)
	rows := maps.Clone(*e.rows.Load())
	rows[x] = c
	e.rows.Store(&rows)
	return c
}
