package referee

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// An announcer announces results to the players and the manager.
type announcer struct {
	*env
	settle    func(*protocol.StartMatch) // called when the manager has a result, or will never take it
	reporters reporters
	awaited   awaited    // results that the manager reads in the answer to its order
	ends      ends       // reported to a third-party manager
	draws     drawWord   // of a third-party manager
	teaching  sync.Mutex // serializes saving of learned dialects
}

// first records that the result of a match is announced to a third-party manager, so that it is not sent twice.
func (a *announcer) first(f *Finished) {
	if a.manager.foreign() {
		a.ends.take(f.Record.Ref())
	}
}

// tell announces the result of a match to both players and then to the manager. It uses only the stored record and
// order, so that the announcement can be resumed after a crash.
func (a *announcer) tell(ctx context.Context, f *Finished) {
	var heard sync.WaitGroup
	var here func() // one announcement runs on this goroutine, which waits for the first tries anyway: that saves a stack
	for i, c := range [2]*protocol.Contender{&f.Start.PlayerA, &f.Start.PlayerB} {
		over := f.overs[i]
		if over == nil {
			over = gameOverFor(&f.Record, c)
		}
		if over == nil {
			continue
		}
		if other := here; other != nil {
			heard.Add(1)
			a.running.Go(func() {
				defer heard.Done()
				other()
			})
		}
		here = func() { a.announce(ctx, f, *c, over) }
	}
	if here != nil {
		here()
	}
	heard.Wait()
	tell := a.report
	if a.awaited.deliver(f) {
		tell = a.reported
	}
	if err := tell(ctx, f); err != nil && !errors.Is(err, errSuperseded) {
		a.node.Logger.Warn("the result was not reported", slog.String("match_id", f.Record.MatchID), slog.Any("error", err))
	}
}

// gameOverFor returns the GAME_OVER message to a player from the record, or nil.
func gameOverFor(rec *protocol.MatchRecord, c *protocol.Contender) *protocol.GameOver {
	over, _ := sentTo(rec, c, protocol.TypeGameOver).(*protocol.GameOver)
	return over
}

// sentTo returns the first message of a type to a player from the record, as it was sent, or nil.
func sentTo(rec *protocol.MatchRecord, c *protocol.Contender, t protocol.Type) protocol.Message {
	for _, e := range rec.Transcript {
		if e.MessageType != t || e.To != protocol.Sender(protocol.RolePlayer, c.ID) {
			continue
		}
		if m, _, err := protocol.Decode(e.Message, protocol.Reading{Type: t}); err == nil {
			m.Head().AuthToken = c.Token
			return m
		}
	}
	return nil
}

// announce sends GAME_OVER to a player once and returns, so that the report is not delayed. If that fails, it retries
// in the background until the player acknowledges, the retries are used up, or the referee stops.
func (a *announcer) announce(ctx context.Context, f *Finished, c protocol.Contender, over *protocol.GameOver) {
	peer := peerOf(&c)
	nulls := over.DrawnNumber.Value == nil
	try := func() bool {
		err := a.callGameOver(ctx, peer, over, &nulls)
		if inviteAfterAll(rpc.Within(ctx, time.Now().Add(a.opts.Policy.GameOverTimeout)), a.node, f, &c, err) {
			err = a.callGameOver(ctx, peer, over, &nulls)
		}
		a.keepTaught(ctx, f)
		return err == nil
	}
	if try() || a.opts.Policy.MaxRetries < 1 {
		return
	}
	a.running.Go(func() {
		for k := 1; k <= a.opts.Policy.MaxRetries; k++ {
			if a.node.Sleep(ctx, "game over "+c.ID+" "+over.MatchID, a.opts.Policy.pause(k)) != nil || try() {
				return
			}
		}
	})
}

// callGameOver sends GAME_OVER. If the player refuses the message with null fields, it is sent again without them;
// nulls is then set to false for later calls.
func (a *announcer) callGameOver(ctx context.Context, peer rpc.Peer, over *protocol.GameOver, nulls *bool) error {
	ctx = rpc.Within(ctx, time.Now().Add(a.opts.Policy.GameOverTimeout))
	_, err := a.node.Call(ctx, peer, over)
	var refusal *protocol.Refusal
	if *nulls && errors.As(err, &refusal) {
		*nulls = false
		_, err = a.node.Call(ctx, peer, protocol.WithoutNulls(over))
	}
	return err
}

// inviteAfterAll sends the invitation to a player that refused GAME_OVER because it does not know the match. It reports
// whether the player has the invitation now. This is needed if the opponent declined so early that the invitation to
// this player, the winner, was cancelled.
func inviteAfterAll(ctx context.Context, n *rpc.Node, f *Finished, c *protocol.Contender, err error) bool {
	var refusal *protocol.Refusal
	if !errors.As(err, &refusal) || refusal.Name != protocol.MatchNotFound.Name {
		return false
	}
	if _, lost := f.Record.Result.Forfeits[c.ID]; lost {
		return false // it was invited with all retries
	}
	for _, e := range f.Record.Transcript {
		if e.From == protocol.Sender(protocol.RolePlayer, c.ID) {
			return false // it has answered before
		}
	}
	invitation := sentTo(&f.Record, c, protocol.TypeGameInvitation)
	if invitation == nil {
		return false
	}
	_, err = n.Call(ctx, peerOf(c), invitation)
	return err == nil
}

// keepTaught stores the dialects detected during an announcement, for announcements by a later run. It returns before
// the result is reported, since the referee may stop as soon as the manager has the result.
func (a *announcer) keepTaught(ctx context.Context, f *Finished) {
	a.teaching.Lock()
	defer a.teaching.Unlock()
	if a.node.Dialect(peerOf(&f.Start.PlayerA)) == f.Start.PlayerA.Dialect &&
		a.node.Dialect(peerOf(&f.Start.PlayerB)) == f.Start.PlayerB.Dialect {
		return
	}
	learned := &Finished{Record: f.Record, Start: f.Start} // f is announced to others concurrently
	teach(a.node, &learned.Start)
	if err := a.opts.Recorder.Learned(ctx, learned); err != nil {
		a.node.Logger.Warn(
			"what a match showed about its players' dialects cannot be saved; they may be detected again",
			slog.String("match_id", f.Record.MatchID), slog.Any("error", err))
	}
}
