package referee

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"agentleague/game"
	"agentleague/protocol"
)

// A guest referee is an untrusted referee. It receives no draw key: it collects the moves and sends them to the
// manager, which draws.
//
//	guest ── MATCH_MOVES_REPORT {moves, signed} ─▶ manager     stored before it is sent
//	guest ◀─ MATCH_MOVES_ACK {result, key} ───────             checked, recorded, then GAME_OVER

// undecided durably stores a match whose moves are complete, and then sends the moves to the manager, which draws.
func (m *match) undecided(ctx context.Context) (*Finished, error) {
	f := &Finished{Record: m.record(protocol.GameResult{}), Start: *m.start}
	teach(m.env.node, &f.Start)
	if err := m.durably(ctx, func() error { return m.env.opts.Undecided.Put(ctx, f) }); err != nil {
		return nil, err
	}
	return m.decide(ctx, f)
}

// decide sends the moves to the manager and records the result of its draw. It returns an error, and announces
// nothing, if the result does not follow from the draw.
func (m *match) decide(ctx context.Context, f *Finished) (*Finished, error) {
	ack, err := m.env.showMoves(ctx, f)
	if errors.Is(err, errUnwanted) || errors.Is(err, errReplaced) {
		return nil, errors.Join(err, m.env.opts.Undecided.Remove(context.WithoutCancel(ctx), f.Record.Ref()))
	}
	if err != nil {
		return nil, err
	}
	result, err := m.drawn(ack)
	if err != nil {
		m.env.node.Logger.Error(
			"the manager's draw is wrong, so the players do not get the result; ask the organiser to look into it",
			slog.String("match_id", m.start.MatchID), slog.Int("attempt", m.start.Attempt), slog.Any("error", err))
		return nil, fmt.Errorf("match %s: %w", m.start.MatchID, err)
	}
	done, err := m.conclude(ctx, *result)
	if err != nil {
		return nil, err
	}
	// The record exists, so the match will not be resumed.
	if err := m.env.opts.Undecided.Remove(ctx, f.Record.Ref()); err != nil {
		m.env.node.Logger.Warn("the moves of a decided match could not be removed",
			slog.String("match_id", m.start.MatchID),
			slog.Any("error", err))
	}
	return done, nil
}

// drawn verifies the manager's draw. It returns the result, or an error if the result does not follow from the moves.
func (m *match) drawn(ack *protocol.MatchMovesAck) (*protocol.GameResult, error) {
	key, err := parseKey("fairness.key", ack.Fairness.Key)
	if err != nil {
		return nil, err
	}
	if protocol.KeyCommitment(key) != m.commitment {
		return nil, errors.New("fairness.key: it does not match the commitment that the players got")
	}
	result, err := decided(m.rules, m.moves, key, m.start.PlayerA.ID, m.start.PlayerB.ID, m.scoring)
	if err != nil {
		return nil, err
	}
	m.key = key
	return result, compare(ack.Result, *result)
}

// errUnwanted means that the manager refuses to draw for a match.
var errUnwanted = errors.New("the manager does not accept the moves of this match")

// showMoves sends the moves to the manager, with retries, until it returns the draw or refuses the match permanently.
func (e *env) showMoves(ctx context.Context, f *Finished) (*protocol.MatchMovesAck, error) {
	rec := &f.Record
	m := &protocol.MatchMovesReport{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchMovesReport, ConversationID: protocol.ReportConversation(rec.MatchID),
			LeagueID: rec.LeagueID, RoundID: protocol.Round(rec.RoundID), RoundForm: f.Start.RoundForm, MatchID: rec.MatchID,
		},
		GameType: rec.GameType, Attempt: rec.Attempt, Moves: rec.Moves, Signed: rec.Signed,
		Dialects: dialectsOf(e.node, &f.Start),
	}
	for k := 0; ; k++ {
		if k > 1 && e.node.Backoff(ctx, f.Start.ReportTo, "moves "+rec.MatchID, retryInterval) != nil {
			return nil, context.Cause(ctx)
		}
		token := e.manager.granted().Token
		reply, err := e.node.CallUntil(ctx, e.manager.peer(f.Start.ReportTo), retryInterval, m)
		if ack, ok := reply.(*protocol.MatchMovesAck); ok && err == nil {
			return ack, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		e.node.Logger.Warn("the manager does not accept the moves of a match", slog.String("match_id", rec.MatchID),
			slog.Any("error", err))
		if e.manager.refusedForGood(ctx, err, token) {
			return nil, fmt.Errorf("%w: %w", errUnwanted, err)
		}
	}
}

// restored recreates a match from its stored moves.
func restored(e *env, rules game.Game, f *Finished) (*match, error) {
	rec := &f.Record
	m, err := newMatch(e, rules, &f.Start)
	if err != nil {
		return nil, fmt.Errorf("match %s: %w", rec.MatchID, err)
	}
	m.lifecycle, m.phase = rec.Lifecycle, rec.Lifecycle.State
	m.transcript.set(rec.Transcript)
	m.tries, m.moves = rec.Tries, rec.Moves
	m.commitment = rec.Fairness.Commitment
	for _, s := range m.seats {
		s.joined, s.conversation = true, conversationOf(rec, s.ID)
		if said, ok := rec.Signed[s.ID]; ok {
			s.signer = &signer{said: said}
		}
	}
	for _, mv := range rec.Moves {
		m.turn = max(m.turn, mv.Turn+1)
	}
	return m, nil
}

// conversationOf returns the conversation id of a player's invitation.
func conversationOf(rec *protocol.MatchRecord, player string) string {
	for _, e := range rec.Transcript {
		if e.MessageType != protocol.TypeGameInvitation || e.To != protocol.Sender(protocol.RolePlayer, player) {
			continue
		}
		if m, _, err := protocol.Decode(e.Message, protocol.Reading{Type: e.MessageType}); err == nil {
			return m.Head().ConversationID
		}
	}
	return ""
}
