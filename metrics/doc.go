// Package metrics counts the events of one agent and serves them to Prometheus.
//
//	rpc.Node ── Served, Called ──▶ ┐
//	referee  ── Meter ───────────▶ ├─ Agent ── GET /metrics ─▶ text
//	engine   ── Append ──────────▶ │
//	league   ◀─ Season, per scrape ┘
//
// Every agent has separate figures, also where many share one process. The number
// of series is bounded, whatever clients send. docs/guide/metrics.md lists them.
package metrics
