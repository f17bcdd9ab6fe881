package player

import (
	"context"
	"fmt"
	"log/slog"

	"agentleague/protocol"
	"agentleague/rpc"
)

// repertoire lists the message types that every player handles. The handlers authenticate the sender by its token: a
// referee by the token of the match, the manager by the player's token.
var repertoire = rpc.NewRepertoire([]protocol.Type{
	protocol.TypeGameInvitation, protocol.TypeChooseParityCall, protocol.TypeGameMoveCall, protocol.TypeGameOver,
	protocol.TypeGameError,
	protocol.TypeRoundAnnouncement, protocol.TypeLeagueStandingsUpdate, protocol.TypeStandingsNotification,
	protocol.TypeRoundCompleted, protocol.TypeLeagueCompleted, protocol.TypeLeagueError,
}, []protocol.Type{protocol.TypeGetPlayerState})

// respond answers a message of the repertoire.
func (a *Agent) respond(ctx context.Context, from rpc.From, m protocol.Message) (protocol.Message, error) {
	if a.Node.Profile.Rules().RefusesBefore && a.isUnregistered() && m.Head().MessageType != protocol.TypeGetPlayerState {
		return nil, protocol.Errorf(protocol.PlayerNotRegistered, "this player has joined no league yet")
	}
	switch m.Head().MessageType {
	case protocol.TypeGameInvitation:
		return a.referees.invited(ctx, from, m)
	case protocol.TypeChooseParityCall:
		return a.referees.chooseParity(ctx, from, m)
	case protocol.TypeGameMoveCall:
		return a.referees.chooseMove(ctx, from, m)
	case protocol.TypeGameOver:
		return a.referees.gameOver(ctx, from, m)
	case protocol.TypeGameError:
		return a.referees.gameError(ctx, from, m)
	case protocol.TypeGetPlayerState:
		return a.reportState(ctx, from, m)
	}
	if err := a.checkManager(m.Head()); err != nil {
		return nil, err
	}
	return a.managerSays(ctx, from, m)
}

// isUnregistered reports whether no registration of the player was accepted yet.
func (a *Agent) isUnregistered() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state == protocol.PlayerUnregistered
}

// managerSays handles a message of the manager, which the caller has authenticated.
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

// checkManager returns an error if the player is native and a message lacks the manager's token, which only the manager
// and this player can compute. A third-party manager has no such token.
func (a *Agent) checkManager(h *protocol.Envelope) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.proves(func(p *place) bool { return p.showsManager(h) }) || !a.native {
		return nil
	}
	token := h.AuthToken
	if token == "" {
		return protocol.Errorf(protocol.AuthTokenMissing, "the manager's messages must carry its token for this player")
	}
	return protocol.Errorf(protocol.AuthTokenInvalid,
		"this is not the token of this player's manager").With("provided_token", protocol.Redact(token))
}

// takeRound handles the announcement of a round: it stores the player's matches and their referees, and the newest hash
// of the league's log, which the signatures of the next answers cover.
func (a *Agent) takeRound(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	r := m.(*protocol.RoundAnnouncement)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.referees.announced.hear(a.id, r)
	if r.Seal != "" && a.seal != "" && r.Seal != a.seal {
		a.Node.Logger.Warn("the manager announces a round of a league with another seal than the one that this player joined")
	} else {
		a.witness.hear(announcedHead(r))
	}
	a.agentState = protocol.AgentActive
	a.hear(m)
	if a.state == protocol.PlayerRegistered {
		a.state = protocol.PlayerWaitingForRound
	}
	return a.ack(protocol.TypeRoundAnnouncementAck, m), nil
}

// noted acknowledges a table or the end of a round, and stores the parts that the player uses.
func (a *Agent) noted(ctx context.Context, m protocol.Message, reply protocol.Type) (protocol.Message, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch news := m.(type) {
	case *protocol.RoundCompleted:
		a.witness.hear(Head{What: HeadRound, Round: int(news.RoundID), Head: news.LogHead})
		a.referees.closeRound(news.RoundID)
	case *protocol.StandingsUpdate:
		a.referees.announced.learnNames(a.native, news.Standings)
		a.manager.table = rowsOf(news.Standings)
		if a.manager.countedMore(news.Standings) {
			go a.manager.missed(context.WithoutCancel(ctx)) // which ends with the call's deadline
		}
	}
	a.hear(m)
	return a.ack(reply, m), nil
}

// completed handles the end of the league. The acknowledgement has a signature of the log's last hash, as evidence
// against later changes of the log. If the player is already in the next season, a repeated message is only
// acknowledged.
func (a *Agent) completed(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	head, next := m.(*protocol.LeagueCompleted).LogHead, m.(*protocol.LeagueCompleted).NextLeagueID
	if next != "" && next == a.league {
		return a.ack(protocol.TypeLeagueCompletedAck, m), nil
	}
	if a.id == "" { // any client could have sent it
		return nil, protocol.Errorf(protocol.PlayerNotRegistered, "this player has joined no league yet")
	}
	a.agentState = protocol.AgentShutdown
	a.witness.hear(Head{What: HeadCompleted, Head: head})
	a.hear(m)
	a.who.Ended(a.seal)
	a.leagueOver(next)
	ack := a.ack(protocol.TypeLeagueCompletedAck, m)
	a.witness.sign(ack, head)
	return ack, nil
}

// leagueError logs an error message of the manager, for the operator, and passes it to the strategy.
func (a *Agent) leagueError(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	e := m.(*protocol.LeagueError)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hear(m)
	a.Node.Logger.Warn("the manager reports: "+protocol.Plain(e.Sentence()),
		slog.String("event_type", string(protocol.TypeLeagueError)), slog.String("error_code", e.ErrorCode),
		slog.String("about", string(e.OriginalMessageType)), slog.Bool("retryable", e.Retryable))
	return a.ack(protocol.TypeLeagueErrorAck, m), nil
}

// reportState returns the player's matches so far, from its history.
func (a *Agent) reportState(context.Context, rpc.From, protocol.Message) (protocol.Message, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := &protocol.PlayerState{
		Envelope: protocol.Envelope{MessageType: protocol.TypePlayerState, LeagueID: a.league},
		PlayerID: a.known(), DisplayName: a.name, State: a.state, AgentState: a.agentState,
		Stats: Past{a.memory.history, a.memory.dropped}.Stats(), History: append([]protocol.PlayerMatch{}, a.memory.history...),
	}
	return s, nil
}
