// Package check looks whether anybody's player, referee or manager keeps to
// the protocol.
//
//	             ┌─ fakeManager: a small manager, with whom the agent may register
//	URL ─▶ role ─┤
//	             └─ steps of that role, one after another ─▶ protocol.Report
//	                  say something ─▶ hear the answer ─▶ judge it
//
// A step is a row of data with a function. Its number never changes its
// meaning. The default is generous: an agent is spoken to in its own dialect,
// and what differs from the specification is a warning. A strict check speaks
// the specification and nothing else, and what differs fails.
package check
