// Package rpctest makes what tests of agents on the wire need: a simulated
// network, certificates, ports, and names that mean what a test wants.
//
//	Network ─ Boot ─▶ Process ─▶ the rpc.Network of a node; the driver decides what happens next
//	Authority ─ Issue("localhost") ─▶ certificate and key ─▶ a listener
//	       └── Pool, File ──────────▶ those who call it
package rpctest
