package referee

import (
	"context"

	"agentleague/rpc"
)

// An env holds the parts of a referee that its matches use.
type env struct {
	node     *rpc.Node
	opts     Options         // with their defaults
	base     context.Context // ends when the referee does; matches outlive the request that starts them
	running  taskGroup       // matches, reports and other tasks
	breakers *breakers
	held     *holdings
	manager  *managerClient
}

// id returns the referee's current id: the granted one, or before that the requested one.
func (e *env) id() string { return agentID(e.node) }
