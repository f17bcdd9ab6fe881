// Package cluster is the shared state of several managers on one engine: its members, its leagues, and the owner of
// each league.
//
//	member ── decides, fenced ─▶ log "cluster" ── Read ─▶ State      the same for every member
//	       ── renews ──────────▶ lease member.<name>                 liveness
//	       ── wakes ───────────▶ subject "cluster"                   so that members need not wait for the next poll
//
// The state is a fold of one log: nothing else is stored, and two members that have read up to the same entry have the
// same state. A member holds one lease, however many leagues it owns. When the lease of a member expires, the first to
// notice appends that it has left and assigns its leagues; the second is fenced, reads, and finds it done. A member with
// more work than another transfers leagues that have no match in progress.
//
// Ownership only avoids duplicate work. Consistency comes from the league's own log: a manager that was taken over from
// without noticing is refused at its next append.
package cluster
