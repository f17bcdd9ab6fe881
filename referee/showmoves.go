package referee

import (
	"context"
	"fmt"
	"log/slog"

	"agentleague/protocol"
)

// showMoves sends the manager the moves until it has decided the match, or refused it for good.
func (r *Referee) showMoves(ctx context.Context, f *Finished) (*protocol.MatchMovesAck, error) {
	rec := &f.Record
	m := &protocol.MatchMovesReport{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchMovesReport, ConversationID: protocol.ReportConversation(rec.MatchID),
			LeagueID: rec.LeagueID, RoundID: protocol.Round(rec.RoundID), RoundForm: f.Start.RoundForm, MatchID: rec.MatchID,
		},
		GameType: rec.GameType, Attempt: rec.Attempt, Moves: rec.Moves, Signed: rec.Signed,
		Dialects: dialectsOf(r.Node, &f.Start),
	}
	for k := 0; ; k++ {
		if k > 1 && r.Node.Sleep(ctx, "moves "+rec.MatchID, again) != nil {
			return nil, context.Cause(ctx)
		}
		token := r.Granted().Token
		reply, err := r.Node.CallUntil(ctx, r.managerAt(f.Start.ReportTo), again, m)
		if ack, ok := reply.(*protocol.MatchMovesAck); ok && err == nil {
			return ack, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r.Node.Logger.Warn("the manager does not accept the moves of a match", slog.String("match_id", rec.MatchID),
			slog.Any("error", err))
		if r.refusedForGood(ctx, err, token) {
			return nil, fmt.Errorf("%w: %w", errUnwanted, err)
		}
	}
}
