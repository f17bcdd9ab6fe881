// Package rpc implements an agent on the network: it answers JSON-RPC 2.0 requests at
// /mcp, calls other agents, and waits for callbacks.
//
//	       ┌───────────── Node ──────────────┐
//	POST ─▶│ Answer ─▶ Handler ─▶ reply      │
//	       │ Expect ◀── a callback           │
//	       │ Call ─▶ Frame ─▶ Network.Post ──│─▶ another agent
//	       └─────────────────────────────────┘
//
// A [Network] implements calls and delays: [HTTP] between machines; in
// tests a process of rpctest's simulated network, in virtual time, with faults.
package rpc
