// Package foreign simulates third-party agents that speak dialects of league.v2.
// It imports no other package of this project and knows only the observed
// messages of such agents.
//
//	Persona ──▶ Player ── one framing with its names and words, and no others
//	            Referee ── one way of being started
//	            Manager ── one way of starting
//
// A foreign agent is strict: messages in any other framing or under any other
// name are refused, in the agent's dialect, and recorded, so that a test can
// detect guesses.
package foreign
