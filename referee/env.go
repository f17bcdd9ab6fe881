package referee

import (
	"context"

	"agentleague/rpc"
)

// An env holds the dependencies that all matches of a referee share.
type env struct {
	node     *rpc.Node
	opts     Options         // with their defaults
	base     context.Context // ends when the referee does; matches outlive the request that starts them
	running  taskGroup       // matches, reports and other tasks
	breakers *breakers
	held     *holdings
	manager  *managerClient
}

// id returns the referee's id, which before the registration is the requested one.
func (e *env) id() string { return agentID(e.node) }
