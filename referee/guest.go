package referee

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"agentleague/protocol"
)

// A guest is a referee that nobody vouches for. It is told no draw key: it
// collects the moves and shows them to the manager, which draws.
//
//	guest ── MATCH_MOVES_REPORT {moves, signed} ─▶ manager     kept before it is sent
//	guest ◀─ MATCH_MOVES_ACK {result, key} ───────             checked, recorded, then GAME_OVER

// errUnwanted says that the manager will not draw for a match.
var errUnwanted = errors.New("the manager does not take the moves of this match")

// undecided keeps a match that was played to its last move, and has the manager decide it.
func (m *match) undecided(ctx context.Context) (Finished, error) {
	f := Finished{Record: m.record(protocol.GameResult{}), Start: m.r.taught(*m.start)}
	if err := m.durably(ctx, func() error { return m.r.opts.Undecided.Put(ctx, f) }); err != nil {
		return Finished{}, err
	}
	return m.decide(ctx, f)
}

// decide shows the moves to the manager and concludes the match with its draw.
// Nobody hears a result that does not follow.
func (m *match) decide(ctx context.Context, f Finished) (Finished, error) {
	ack, err := m.r.showMoves(ctx, f)
	if errors.Is(err, errUnwanted) || errors.Is(err, errReplaced) {
		return Finished{}, errors.Join(err, m.r.opts.Undecided.Remove(context.WithoutCancel(ctx), f.Record.Ref()))
	}
	if err != nil {
		return Finished{}, err
	}
	result, err := m.drawn(ack)
	if err != nil {
		m.r.Node.Logger.Error("the manager's draw is wrong: the players are not told; ask the organiser to look into it",
			slog.String("match_id", m.start.MatchID), slog.Int("attempt", m.start.Attempt), slog.Any("error", err))
		return Finished{}, fmt.Errorf("match %s: %w", m.start.MatchID, err)
	}
	done, err := m.conclude(ctx, *result)
	if err != nil {
		return Finished{}, err
	}
	if err := m.r.opts.Undecided.Remove(ctx, f.Record.Ref()); err != nil { // its record is there: nobody takes it up again
		m.r.Node.Logger.Warn("the moves of a decided match are still kept", slog.String("match_id", m.start.MatchID), slog.Any("error", err))
	}
	return done, nil
}

// drawn takes the manager's draw and returns the result, if that is what follows from the moves.
func (m *match) drawn(ack *protocol.MatchMovesAck) (*protocol.GameResult, error) {
	key, err := parseKey("fairness.key", ack.Fairness.Key)
	if err != nil {
		return nil, err
	}
	if protocol.KeyCommitment(key) != m.commitment {
		return nil, errors.New("fairness.key: it is not the one that was promised to the players")
	}
	result, err := decided(m.rules, m.moves, key, m.start.PlayerA.ID, m.start.PlayerB.ID, m.scoring())
	if err != nil {
		return nil, err
	}
	m.key = key
	return result, compare(ack.Result, *result)
}

// showMoves tells the manager the moves until it has decided the match, or refused it for good.
func (r *Referee) showMoves(ctx context.Context, f Finished) (*protocol.MatchMovesAck, error) {
	rec := &f.Record
	m := &protocol.MatchMovesReport{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchMovesReport, ConversationID: protocol.ReportConversation(rec.MatchID),
			LeagueID: rec.LeagueID, RoundID: protocol.Round(rec.RoundID), RoundForm: f.Start.RoundForm, MatchID: rec.MatchID,
		},
		GameType: rec.GameType, Attempt: rec.Attempt, Moves: rec.Moves, Signed: rec.Signed, Dialects: r.dialects(&f.Start),
	}
	for k := 0; ; k++ {
		if k > 1 && r.Node.Sleep(ctx, "moves "+rec.MatchID, again) != nil {
			return nil, context.Cause(ctx)
		}
		m.AuthToken = r.Granted().Token
		reply, err := r.Node.CallUntil(ctx, r.managerAt(f.Start.ReportTo), again, m)
		if ack, ok := reply.(*protocol.MatchMovesAck); ok && err == nil {
			return ack, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r.Node.Logger.Warn("the manager does not take the moves of a match", slog.String("match_id", rec.MatchID), slog.Any("error", err))
		if r.refusedForGood(ctx, err, m.AuthToken) {
			return nil, fmt.Errorf("%w: %w", errUnwanted, err)
		}
	}
}
