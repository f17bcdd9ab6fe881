// Package check tests whether any player, referee or manager conforms to the
// protocol.
//
//	             ┌─ fakeManager: a small manager, with which the agent may register
//	URL ─▶ role ─┤
//	             └─ steps of that role, one after another ─▶ protocol.Report
//	                  send a message ─▶ receive the answer ─▶ judge it
//
// A step is a row of data with a function. Its number never changes its
// meaning. The default is lenient: messages use the agent's dialect, and a
// difference from the specification is a warning. A strict check uses only the
// specification, and a difference fails.
package check
