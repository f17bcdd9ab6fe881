// Package metrics counts what one agent does and shows it as Prometheus reads it.
//
//	rpc.Node ── Served, Called ──▶ ┐
//	referee  ── Meter ───────────▶ ├─ Agent ── GET /metrics ─▶ text
//	engine   ── Append ──────────▶ │
//	league   ◀─ Season, when asked ┘
//
// Every agent has figures of its own, also where many share one process. Whatever
// a client sends, the number of rows stays bounded. docs/guide/metrics.md names them all.
package metrics
