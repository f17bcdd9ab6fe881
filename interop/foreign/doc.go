// Package foreign is the other side of the wire: agents that speak league.v2 as
// strangers do. It knows nothing of this project's own packages, only what such
// agents were seen to send and to take.
//
//	Persona ──▶ Player ── its own framing, names and words, and no others
//	            Referee ── its own way of being started
//	            Manager ── its own way of starting
//
// A foreign agent is as strict as its kind: what is not framed and named in its
// own way is refused, in its own way, and noted as refused, so that a test can
// tell whether anybody had to guess.
package foreign
