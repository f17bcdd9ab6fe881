package referee

import (
	"context"

	"agentleague/protocol"
	"agentleague/rpc"
)

// An env is what a match needs of the referee that plays it.
type env struct {
	node     *rpc.Node
	opts     Options         // with their defaults
	base     context.Context // ends when the referee does; matches outlive the request that starts them
	running  company         // matches, reports and whatever else is under way
	breakers *breakers
	held     *holdings
	abroad   func() bool // the manager is not ours

	// showMoves tells the manager the moves of a match whose draw is the manager's,
	// until it has decided the match or refused it for good.
	showMoves func(ctx context.Context, f *Finished) (*protocol.MatchMovesAck, error)
}

// id is the id that the referee goes by now: the one that it was granted, or before that the one that it asks for.
func (e *env) id() string {
	_, id := protocol.ParseSender(e.node.Sender())
	return id
}
