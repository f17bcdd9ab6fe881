package registration_test

import (
	"errors"
	"testing"

	"agentleague/league"
	"agentleague/league/registration"
	"agentleague/rpc"
)

// TestUnreachedNamesTheCauseOnlyOnTheAgentsOwnMachine covers each relation of an agent's endpoint to the address from
// which it registered.
func TestUnreachedNamesTheCauseOnlyOnTheAgentsOwnMachine(t *testing.T) {
	t.Parallel()
	n := rpc.NewNode("league_manager", rpc.Options{})
	const there, here = "http://192.0.2.7:8101/mcp", "http://127.0.0.1:8101/mcp"
	for _, c := range []struct {
		name   string
		agent  league.Registered
		caller string
		want   string
	}{
		{"its own address", league.Registered{Endpoint: there}, "192.0.2.7",
			"cannot reach " + there + ": connection refused; start it with --host, or use `league connect`"},
		{"the address of another machine", league.Registered{Endpoint: there}, "192.0.2.8",
			there + " cannot be reached; start the agent with --host and an address that the manager can call, or use `league connect`"},
		{"unknown, since the manager was restarted", league.Registered{Endpoint: there}, "",
			there + " cannot be reached; start the agent with --host and an address that the manager can call, or use `league connect`"},
		{"native, since the manager was restarted", league.Registered{Endpoint: there, Key: "k"}, "",
			"cannot reach " + there + ": connection refused; start it with --host, or use `league connect`"},
		{"named by the admin", league.Registered{Endpoint: there, By: "admin"}, "",
			"cannot reach " + there + ": connection refused; start an agent that listens there"},
		{"the manager's machine, from itself", league.Registered{Endpoint: here}, "127.0.0.1",
			"cannot reach " + here + ": connection refused; start an agent that listens there"},
		{"the manager's machine, from another one", league.Registered{Endpoint: here}, "192.0.2.8",
			"cannot reach " + here + ": this address is the manager's own machine, and the agent is on another one; start it with --host, or use `league connect`"},
		{"a mailbox", league.Registered{Endpoint: "mailbox:0123456789abcdef0123456789abcdef"}, "192.0.2.8",
			"cannot reach mailbox:0123456789abcdef0123456789abcdef: connection refused; connect the agent again, or let it ask for its letters"},
	} {
		if got := registration.Unreached(t.Context(), n, c.agent, c.caller, errors.New("connection refused")); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
