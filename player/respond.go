package player

import (
	"context"
	"fmt"

	"agentleague/protocol"
	"agentleague/rpc"
)

// repertoire is the list of messages that every player answers. The handlers authenticate the sender: a referee shows
// the token of its match, the manager its own.
var repertoire = rpc.NewRepertoire([]protocol.Type{
	protocol.TypeGameInvitation, protocol.TypeChooseParityCall, protocol.TypeGameMoveCall, protocol.TypeGameOver,
	protocol.TypeGameError,
	protocol.TypeRoundAnnouncement, protocol.TypeLeagueStandingsUpdate, protocol.TypeStandingsNotification,
	protocol.TypeRoundCompleted, protocol.TypeLeagueCompleted, protocol.TypeLeagueError,
}, []protocol.Type{protocol.TypeGetPlayerState})

// respond answers a message of the repertoire.
func (a *Agent) respond(ctx context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
	switch m.Head().MessageType {
	case protocol.TypeGameInvitation:
		return a.invited(ctx, from, m)
	case protocol.TypeChooseParityCall:
		return a.chooseParity(ctx, from, m)
	case protocol.TypeGameMoveCall:
		return a.chooseMove(ctx, from, m)
	case protocol.TypeGameOver:
		return a.gameOver(ctx, from, m)
	case protocol.TypeGameError:
		return a.gameError(ctx, from, m)
	case protocol.TypeGetPlayerState:
		return a.reportState(ctx, from, m)
	}
	if err := a.checkManager(m.Head()); err != nil {
		return nil, err
	}
	return a.managerSays(ctx, from, m)
}

// managerSays handles messages that only the manager may send, after authentication.
func (a *Agent) managerSays(ctx context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
	switch t := m.Head().MessageType; t {
	case protocol.TypeRoundAnnouncement:
		return a.takeRound(ctx, from, m)
	case protocol.TypeLeagueStandingsUpdate, protocol.TypeStandingsNotification:
		return a.noted(ctx, m, protocol.TypeStandingsUpdateAck)
	case protocol.TypeRoundCompleted:
		return a.noted(ctx, m, protocol.TypeRoundCompletedAck)
	case protocol.TypeLeagueCompleted:
		return a.completed(ctx, from, m)
	case protocol.TypeLeagueError:
		return a.leagueError(ctx, from, m)
	default:
		return nil, fmt.Errorf("a player has no answer to %s", t)
	}
}
