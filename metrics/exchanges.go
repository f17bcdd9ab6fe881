package metrics

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"agentleague/protocol"
)

// other is the message type under which requests with an unknown type are counted.
const other = "other"

// exchanges counts requests or calls by type and outcome. Counting a known row takes no lock and no memory: rows are
// in a short copy-on-write list. Before the first scrape it is no more than its rows: a process may host thousands of
// agents.
type exchanges struct {
	shown *prometheus.Desc
	rows  atomic.Pointer[[]*exchangeRow]
	mu    sync.Mutex // held while a row is added
}

// An exchangeRow is how often one kind of exchange has occurred.
type exchangeRow struct {
	message protocol.Type
	outcome string
	n       atomic.Uint64
}

// Descriptions of the figures of all agents.
var (
	requests = aboutExchanges("league_requests_total", "Requests answered, by what they ask for and how that ended.")
	calls    = aboutExchanges("league_calls_total", "Calls to other agents, by what they ask for and how that ended.")
)

func aboutExchanges(name, help string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, []string{"message_type", "outcome"}, nil)
}

// count counts one exchange. Types and outcomes are of rpc's closed lists.
func (e *exchanges) count(t protocol.Type, outcome string) {
	r := e.row(t, outcome)
	if r == nil {
		r = e.add(t, outcome)
	}
	r.n.Add(1)
}

// row finds the row of a kind of exchange; nil: there is none yet.
func (e *exchanges) row(t protocol.Type, outcome string) *exchangeRow {
	for _, r := range e.all() {
		if r.message == t && r.outcome == outcome {
			return r
		}
	}
	return nil
}

// all are the rows so far. The list is never changed, so it is read without a lock.
func (e *exchanges) all() []*exchangeRow {
	if rows := e.rows.Load(); rows != nil {
		return *rows
	}
	return nil
}

// add adds a row for a message and an outcome that were not seen together before. There are few of both, so the
// list stays short.
func (e *exchanges) add(t protocol.Type, outcome string) *exchangeRow {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.row(t, outcome); r != nil { // another goroutine was faster
		return r
	}
	r := &exchangeRow{message: t, outcome: outcome}
	rows := append(slices.Clone(e.all()), r)
	e.rows.Store(&rows)
	return r
}

// Describe implements [prometheus.Collector].
func (e *exchanges) Describe(to chan<- *prometheus.Desc) { to <- e.shown }

// Collect sends the count of each row.
func (e *exchanges) Collect(to chan<- prometheus.Metric) {
	for _, r := range e.all() {
		to <- prometheus.MustNewConstMetric(e.shown, prometheus.CounterValue, float64(r.n.Load()),
			cmp.Or(string(r.message), other), r.outcome)
	}
}
