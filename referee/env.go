package referee

import (
	"context"

	"agentleague/protocol"
	"agentleague/rpc"
)

// An env holds the parts of a referee that its matches use.
type env struct {
	node     *rpc.Node
	opts     Options         // with their defaults
	base     context.Context // ends when the referee does; matches outlive the request that starts them
	running  company         // matches, reports and other tasks
	breakers *breakers
	held     *holdings
	abroad   func() bool // the manager is not ours

	// showMoves sends the manager the moves of a match that the manager draws for, until it has decided the match or
	// refused it for good.
	showMoves func(ctx context.Context, f *Finished) (*protocol.MatchMovesAck, error)
}

// id returns the referee's current id: the granted one, or before that the requested one.
func (e *env) id() string {
	_, id := protocol.ParseSender(e.node.Sender())
	return id
}
