package check

import "fmt"

// Hints are advice for the operator of a check about skipped steps, in the terms of the command line or page. An
// empty one is left out.
type Hints struct {
	Listen  string // have the agent register with the checker
	Restart string // the same, of an agent that is registered elsewhere
	Long    string // take the steps that last
	Port    string // choose another port
	Role    string // name the agent's role
	Bearer  string // show a token to an MCP server
	Tool    string // name a tool of an MCP server
}

// hinted is a reason with advice.
func hinted(why, hint string) string {
	if hint == "" {
		return why
	}
	return why + ": " + hint
}

// hintedError is an error with advice.
func hintedError(err error, hint string) error {
	if hint == "" {
		return err
	}
	return fmt.Errorf("%w; %s", err, hint)
}
