// Package mailbox lets agents play that cannot be called: behind a NAT, in a notebook, without a port. The agent opens
// every connection. A mailbox at the manager keeps the messages to the agent until the agent fetches them.
//
//	manager ── Office.Post ─▶ box ─▶ a GET of pull, or the WebSocket of a Link ─▶ agent
//	manager ◀─ Answer ─────── box ◀─ a POST of pull, or the same WebSocket ◀───── agent
//
// A message is a letter {id, deadline_ms, body}; its answer is {id, body}. Bodies are JSON-RPC: no method, path or
// header reaches the agent. A mailbox is the endpoint "mailbox:ID" of its agent. The ID is derived from the key of the
// mailbox: a secret (pull) or the public key of an ed25519 key (WebSocket). So a mailbox needs no storage: the owner of
// the key opens it again after a restart of either end, or at another manager of the cluster.
//
// An unanswered letter is offered again with the same id: after the loss of its reader's connection at once, with pull
// after 30 seconds. The first answer counts.
//
// # The agent's end
//
// [Dial] connects an agent with its manager and returns a [Link], which reconnects until it is closed:
//
//	link, err := mailbox.Dial(ctx, mailbox.Config{
//		Manager: "https://league.example/k/KEY/mcp",
//		Key:     identity,                     // a native agent's own key, or that of `league connect`
//		Deliver: func(ctx context.Context, body []byte) mailbox.Answer { … }, // a letter of the manager to the agent
//	})
//	register with contact_endpoint = link.Endpoint()      // "mailbox:ID"
//	answer, err := link.Send(ctx, body)                   // registrations, reports and queries go upward
//
// Deliver is called once per letter: the link remembers the letters in progress and the last 1,000 answers.
//
// # The wire
//
// The WebSocket is at …/mailboxes/connect, beside the manager's …/mcp. Every text frame is a JSON object with a type:
//
//	manager  {"type": "hello", "nonce", "manager", "seal"}
//	agent    {"type": "open", "key", "nonce", "instance", "signature"}
//	manager  {"type": "ready", "id", "managers"}
//	both     {"type": "letter", "id", "deadline_ms", "body"}
//	both     {"type": "answer", "id", "body", "status", "error"}
//
// A body is a JSON string, so that its bytes arrive unchanged. The signature covers [handshake.Text]. Status is the
// HTTP status of an agent behind the link, 0 for 200; error states why that agent could not be reached. The manager
// refuses with a close frame; its reason is a sentence. Managers are the addresses of the other managers of a cluster,
// without a path: a link tries them in turn while its manager does not answer.
package mailbox
