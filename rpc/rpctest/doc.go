// Package rpctest supports tests of agents on the network: a simulated network,
// certificates, ports, and name resolution.
//
//	Network ─ Boot ─▶ Process ─▶ the rpc.Network of a node; the driver decides what happens next
//	Authority ─ Issue("localhost") ─▶ certificate and key ─▶ a listener
//	       └── Pool, File ──────────▶ its clients
package rpctest
