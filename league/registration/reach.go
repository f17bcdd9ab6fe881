package registration

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// The result of a call to an address is a fact about the machine there. It is disclosed only to an agent on that
// machine, and to the admin that named the address: otherwise a registration could scan ports.

// Unreached returns a sentence for an agent whose endpoint does not answer, with the cause if it may be disclosed, and
// the remedy. caller is the address from which the agent registered, or "" if it is unknown.
func Unreached(ctx context.Context, n *rpc.Node, a league.Registered, caller string, err error) string {
	switch {
	case a.HasMailbox():
		return fmt.Sprintf("cannot reach %s: %s; connect the agent again, or let it ask for its letters", a.Endpoint, cause(err))
	case elsewhere(ctx, n, a.Endpoint, caller):
		return fmt.Sprintf("cannot reach %s: this address is the manager's own machine, and the agent is on another one; "+
			"start it with --host, or use `league connect`", a.Endpoint)
	case rpc.IsHere(caller) && isHere(ctx, n, a.Endpoint) || a.By != "":
		return fmt.Sprintf("cannot reach %s: %s; start an agent that listens there", a.Endpoint, cause(err))
	case a.Native() && caller == "" || n.ComesFrom(ctx, rpc.From{Addr: caller}, a.Endpoint):
		return fmt.Sprintf("cannot reach %s: %s; start it with --host, or use `league connect`", a.Endpoint, cause(err))
	}
	return a.Endpoint + " cannot be reached; start the agent with --host and an address that the manager can call, or use `league connect`"
}

// elsewhere reports whether an agent on another machine gives an address of this one as its own.
func elsewhere(ctx context.Context, n *rpc.Node, endpoint, caller string) bool {
	return caller != "" && !rpc.IsHere(caller) && isHere(ctx, n, endpoint)
}

// isHere reports whether an endpoint is on this machine.
func isHere(ctx context.Context, n *rpc.Node, endpoint string) bool {
	return slices.ContainsFunc(n.Network.Addresses(ctx, endpoint), rpc.IsHere)
}

// cause describes the error of a call for a person.
func cause(err error) string {
	if protocol.Is(err, protocol.Timeout) {
		return "no answer in time"
	}
	return rpc.Unreached(err)
}

// unreached refuses an applicant that the network did not reach.
func (reg *Registrar) unreached(ctx context.Context, r league.Registered, addr string, err error) *league.Rejection {
	if errors.As(err, new(*rpc.NotAllowed)) {
		return league.Refused(protocol.EndpointNotAllowed, "contact_endpoint: %s", protocol.AsError(err).Detail).No
	}
	no := league.Refused(protocol.Connection, "%s", Unreached(ctx, reg.cfg.Node, r, addr, err)).No
	no.Advice = "Start the agent before it registers, at an address that the manager can call, or use `league connect`"
	return no
}
