package referee

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// tell lets both players and the manager know how a match ended. It works from
// the record alone, so that a referee that was killed can take it up again.
func (r *Referee) tell(ctx context.Context, f Finished) {
	var heard sync.WaitGroup
	for _, c := range []protocol.Contender{f.Start.PlayerA, f.Start.PlayerB} {
		over := gameOverFor(f.Record, c)
		if over == nil {
			continue
		}
		heard.Add(1)
		r.running.Go(func() { r.announce(ctx, c, over, heard.Done) })
	}
	heard.Wait()
	if err := r.report(ctx, f); err != nil {
		r.Node.Logger.Error("the result was not reported", slog.String("match_id", f.Record.MatchID), slog.Any("error", err))
	}
}

// gameOverFor finds the message in which a player hears the result.
func gameOverFor(rec protocol.MatchRecord, c protocol.Contender) *protocol.GameOver {
	for _, e := range rec.Transcript {
		if e.MessageType != protocol.TypeGameOver || e.To != protocol.Sender(protocol.RolePlayer, c.ID) {
			continue
		}
		m, _, err := protocol.Decode(e.Message, protocol.Reading{})
		if over, ok := m.(*protocol.GameOver); ok && err == nil {
			over.AuthToken = c.Token
			return over
		}
	}
	return nil
}

// announce sends GAME_OVER until the player has it or the tries are used up.
// First is called after the first try: the report waits no longer.
func (r *Referee) announce(ctx context.Context, c protocol.Contender, over *protocol.GameOver, first func()) {
	var once sync.Once
	defer once.Do(first)
	peer := rpc.Peer{Endpoint: c.Endpoint, Dialect: c.Dialect, Token: c.Token}
	for k := 1; ; k++ {
		err := r.callGameOver(ctx, peer, over)
		if err == nil || k > r.opts.Policy.MaxRetries {
			return
		}
		once.Do(first)
		if r.Node.Sleep(ctx, "game over "+c.ID+" "+over.MatchID, r.opts.Policy.pause(k)) != nil {
			return
		}
	}
}

// callGameOver sends the message, and once more without its nulls if the player refuses it.
func (r *Referee) callGameOver(ctx context.Context, peer rpc.Peer, over *protocol.GameOver) error {
	ctx, cancel := context.WithTimeout(ctx, r.opts.Policy.GameOverTimeout)
	defer cancel()
	_, err := r.Node.Call(ctx, peer, over)
	var refusal *protocol.Refusal
	if errors.As(err, &refusal) && over.DrawnNumber == nil {
		_, err = r.Node.Call(ctx, peer, protocol.WithoutNulls(over))
	}
	return err
}

// report tells the manager until it has acknowledged the result, or refused it for good.
func (r *Referee) report(ctx context.Context, f Finished) error {
	m, err := newReport(f.Record)
	if err != nil {
		return err
	}
	for {
		m.AuthToken = r.Granted().Token
		_, err = r.Node.Insist(ctx, rpc.Peer{Endpoint: f.Start.ReportTo}, 2*time.Second, m)
		if !unknownToManager(err) {
			break
		}
		if _, err := r.register(ctx); err != nil {
			return err
		}
	}
	var refusal *protocol.Refusal
	if err != nil && !errors.As(err, &refusal) {
		return err
	}
	if refusal != nil {
		r.Node.Logger.Warn("the manager does not count the result", slog.String("match_id", f.Record.MatchID), slog.Any("error", err))
	}
	r.settled(f.Record)
	return r.opts.Recorder.Reported(ctx, f.Record.Ref())
}

// unknownToManager reports whether the manager does not know this referee's token any more.
func unknownToManager(err error) bool {
	var refusal *protocol.Refusal
	return errors.As(err, &refusal) &&
		(refusal.Name == protocol.AuthTokenInvalid.Name || refusal.Name == protocol.RefereeNotRegistered.Name)
}

// settled drops what is kept of a match in memory once its result is told.
func (r *Referee) settled(rec protocol.MatchRecord) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.matches[rec.MatchID]; m != nil && m.start.Attempt == rec.Attempt {
		m.mu.Lock()
		m.told, m.transcript = true, nil
		m.mu.Unlock()
	}
}

// newReport writes a record as the report of its result.
func newReport(rec protocol.MatchRecord) (*protocol.MatchResultReport, error) {
	_, hash, err := rec.Document()
	if err != nil {
		return nil, err
	}
	score := map[string]json.RawMessage{}
	for id, points := range rec.Result.Score {
		if score[id], err = json.Marshal(points); err != nil {
			return nil, err
		}
	}
	return &protocol.MatchResultReport{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchResultReport, ConversationID: protocol.ReportConversation(rec.MatchID),
			LeagueID: rec.LeagueID, RoundID: protocol.Round(rec.RoundID), MatchID: rec.MatchID,
		},
		GameType: rec.GameType,
		Result: protocol.ReportedResult{
			Winner: rec.Result.WinnerPlayerID, Score: score,
			Details: protocol.ReportDetails{
				DrawnNumber: rec.Result.DrawnNumber, NumberParity: rec.Result.NumberParity, Choices: rec.Result.Choices,
				Status: rec.Result.Status, Reason: rec.Result.Reason, Forfeits: rec.Result.Forfeits,
			},
		},
		Attempt: rec.Attempt, Moves: rec.Moves, Fairness: &protocol.Fairness{Key: rec.Fairness.Key}, RecordSHA256: hash,
	}, nil
}
