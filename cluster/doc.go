// Package cluster is what several managers on one engine agree on: who they are, which leagues there are, and whose
// each of them is.
//
//	member ── decides, fenced ─▶ log "cluster" ── Read ─▶ State      the same for every member
//	       ── renews ──────────▶ lease member.<name>                 who is alive
//	       ── wakes ───────────▶ subject "cluster"                   so that nobody waits for the next look
//
// All of it is one log, and the state is a fold of that log: nothing else is stored, and two members that have read
// as far see the same. A member holds one lease, however many leagues it has. When the lease of another is gone, the
// first to see it writes that the other has left and who gets its leagues; the second is fenced, reads, and finds it
// done. Who has more to play than another hands some on of its own accord, when nothing of theirs is in hand.
//
// Whose a league is only saves work. What keeps a league whole is its own log: a manager that was taken over from
// and does not know it yet is refused at its next append.
package cluster
