// Package rpc is one agent on the wire: it answers JSON-RPC 2.0 requests at
// /mcp, calls other agents, and waits for the answers that they send by a call
// of their own.
//
//	       ┌───────────── Node ──────────────┐
//	POST ─▶│ Answer ─▶ Handler ─▶ reply      │
//	       │ Expect ◀── an answer by call    │
//	       │ Call ─▶ Frame ─▶ Network.Post ──│─▶ another agent
//	       └─────────────────────────────────┘
//
// A [Network] carries the calls and the waiting: [HTTP] between machines; in
// tests a process of rpctest's simulated network, in virtual time, with faults.
package rpc
