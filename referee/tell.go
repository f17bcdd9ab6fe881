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

// An announcer announces the ends of matches to their players and to the manager.
type announcer struct {
	*env
	settle    func(*protocol.StartMatch) // called when the manager has a result, or will never take it
	reporters reporters
	awaited   awaited    // results that the manager reads in the answer to its order
	ends      ends       // reported to a third-party manager
	draws     drawWord   // of a third-party manager
	teaching  sync.Mutex // serializes saving of learned dialects
}

// first notes that a match is announced for the first time: to a third-party manager it is not announced again.
func (a *announcer) first(f *Finished) {
	if a.manager.foreign() {
		a.ends.take(f.Record.Ref())
	}
}

// tell announces the end of a match to both players and the manager. It uses the record and the order alone, so that
// it can resume after a crash.
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

// gameOverFor finds the message that informs a player of the result.
func gameOverFor(rec *protocol.MatchRecord, c *protocol.Contender) *protocol.GameOver {
	over, _ := sentTo(rec, c, protocol.TypeGameOver).(*protocol.GameOver)
	return over
}

// sentTo finds the first message of a type to a player, as it was sent; nil: there is none.
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

// announce sends GAME_OVER once, and returns: the report waits no longer. If the player does not have it then, more
// tries follow while the referee runs, until it has or they are used up.
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

// callGameOver sends the message. If the player refuses it with its nulls it
// goes out once more, and from then on, without them.
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

// inviteAfterAll sends its invitation to a player that refuses the end of an unknown match, and reports whether it
// has it now. When the other player declines at once, the invitation may have been cancelled on the way; the player
// has won, and is to be informed.
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

// keepTaught stores the dialects learned during an announcement for later announcements by another run. It returns
// before the result is reported, since the referee may stop as soon as the manager has the result.
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
