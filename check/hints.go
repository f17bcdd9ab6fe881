package check

import "fmt"

// Hints are what whoever runs a check can do about steps that are left out, in
// the words of how it is run. An empty one is not told.
type Hints struct {
	Listen  string // have the agent register with the checker
	Restart string // the same, of an agent that is registered elsewhere
	Long    string // take the steps that last
	Port    string // choose another port
	Role    string // say what the agent is
	Bearer  string // show a token to an MCP server
	Tool    string // name a tool of an MCP server
}

// hinted is a reason and what can be done about it.
func hinted(why, hint string) string {
	if hint == "" {
		return why
	}
	return why + ": " + hint
}

// hintedError is an error and what can be done about it.
func hintedError(err error, hint string) error {
	if hint == "" {
		return err
	}
	return fmt.Errorf("%w; %s", err, hint)
}
