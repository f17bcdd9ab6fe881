package player

import (
	"cmp"
	"context"
	"encoding/hex"
	"log/slog"
	"slices"
	"strings"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// gameOver notes how a bout ended. What a referee of our manager, or the manager
// itself, says ends it for all; a foreign inviter ends its own part. A referee
// that does not tell the promised draw key may be anybody who has read the token
// of the match: the player goes on if it is asked again.
func (a *Agent) gameOver(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	over := m.(*protocol.GameOver)
	a.mu.Lock()
	defer a.mu.Unlock()
	b, p, i, err := a.find(m.Head(), over.Attempt)
	manager := a.matchTokens && a.showsManager(m.Head())
	sure := manager || i != nil && i.native || a.showsReferee(m.Head(), b)
	if sure {
		a.examine(ctx, b, p, over)
	}
	if known := a.heard(over); known || err == nil || manager {
		if sure && !manager && i != nil && !i.opens(over) {
			sure, p.doubtful = false, true
			a.state = protocol.PlayerWaitingForRound
		} else {
			a.end(b, p, i, sure)
		}
		if !known {
			a.hear(m)
			a.note(over, i, sure)
		}
		return a.ack(protocol.TypeGameOverAck, m), nil
	}
	return nil, err
}

// opens reports whether the end of a bout tells the draw key that was promised with the invitation.
func (i *inviter) opens(over *protocol.GameOver) bool {
	key, err := hex.DecodeString(keyOf(over))
	return i.commitment == "" || err == nil && protocol.KeyCommitment(key) == i.commitment
}

// closeRound drops the bouts of a round whose ends were doubtful: nobody asks any more. The caller holds the lock.
func (a *Agent) closeRound(round protocol.Round) {
	for b, p := range a.bouts {
		if i := p.native(); p.doubtful && i != nil && i.round <= round {
			a.drop(b)
			a.keepJoined()
		}
	}
}

// note remembers a result. The caller holds the lock.
func (a *Agent) note(over *protocol.GameOver, i *inviter, sure bool) {
	e := a.entry(over)
	if i != nil {
		e.OpponentID = cmp.Or(e.OpponentID, i.opponent)
	}
	a.remember(e, sure)
}

// end ends a bout, or one inviter's part in it. The caller holds the lock.
func (a *Agent) end(b bout, p *playing, i *inviter, sure bool) {
	switch {
	case p == nil || !sure && i == nil:
		return
	case !sure:
		i.ended, p.told = true, true
		if !p.leave(i) {
			return
		}
	}
	a.drop(b)
	a.state = protocol.PlayerWaitingForRound
	a.keepJoined()
}

// drop forgets a bout, and what was answered in earlier attempts too. The caller holds the lock.
func (a *Agent) drop(b bout) {
	for _, i := range a.bouts[b].inviters {
		i.ended = true
	}
	delete(a.bouts, b)
	a.dropAnswers(b)
}

// heard reports whether this very result is known already.
func (a *Agent) heard(over *protocol.GameOver) bool {
	return slices.ContainsFunc(a.history, func(m protocol.PlayerMatch) bool {
		return m.MatchID == over.MatchID && m.Attempt == max(over.Attempt, 1) && m.Result == a.result(over)
	})
}

// result reads how the match ended for this player, from the flat or the nested form.
func (a *Agent) result(over *protocol.GameOver) string {
	switch word := strings.ToUpper(over.Result); {
	case word == protocol.Win || word == protocol.Loss || word == protocol.Draw || word == protocol.TechnicalLoss:
		return word
	}
	return a.nested(over.GameResult)
}

// nested reads how the match ended for this player from the match's side.
func (a *Agent) nested(r protocol.GameResult) string {
	switch {
	case r.WinnerPlayerID != nil && *r.WinnerPlayerID == a.id:
		return protocol.Win
	case r.Status == protocol.Draw:
		return protocol.Draw
	case r.Status == protocol.TechnicalLoss:
		return protocol.TechnicalLoss
	}
	return protocol.Loss
}

func (a *Agent) entry(over *protocol.GameOver) protocol.PlayerMatch {
	e := protocol.PlayerMatch{
		MatchID: over.MatchID, RoundID: over.RoundID, Timestamp: protocol.Stamp(time.Now()), OpponentID: over.OpponentID,
		Result: a.result(over), DrawnNumber: over.GameResult.DrawnNumber, PointsEarned: over.PointsEarned, Attempt: max(over.Attempt, 1),
		MyChoice: over.YourChoice, OpponentChoice: over.OpponentChoice,
	}
	for id, c := range over.GameResult.Choices {
		switch {
		case id == a.id && e.MyChoice == nil:
			e.MyChoice = c
		case id != a.id && e.OpponentChoice == nil:
			e.OpponentChoice = c
		}
	}
	return e
}

// A trust is what stands behind a result in the history.
type trust int

const (
	recalled trust = iota // it is from before
	doubtful              // somebody said so
	settled               // our manager, or a referee of its, said so
)

// remember keeps a result, teaches the strategy and tells whoever stores the
// history. What is sure stands against what is not, and a newer attempt against
// an older; of what is not sure the newest counts, whatever attempt it names.
func (a *Agent) remember(e protocol.PlayerMatch, sure bool) {
	i := slices.IndexFunc(a.history, func(m protocol.PlayerMatch) bool { return m.MatchID == e.MatchID })
	switch was := a.trust[e.MatchID]; {
	case !sure && was == settled, sure && was != doubtful && i >= 0 && e.Attempt < a.history[i].Attempt:
		return
	case i < 0:
		a.history = append(a.history, e)
	default:
		a.history = slices.Clone(a.history) // who was told of it keeps what it was told
		a.history[i] = e
	}
	a.trust[e.MatchID] = doubtful
	if sure {
		a.trust[e.MatchID] = settled
	}
	a.learn(e)
	if a.opts.Remember == nil || a.opts.Recall != nil && !a.recalled { // what is not read yet is not written over
		return
	}
	if err := a.opts.Remember(a.id, slices.Clip(a.history)); err != nil {
		a.Node.Logger.Error("the history could not be kept", slog.Any("error", err))
	}
}

func (a *Agent) learn(m protocol.PlayerMatch) {
	if l, ok := a.strategy.(Learner); ok {
		l.Learn(m)
	}
}

// hear tells the strategy of a message, if it listens. The caller holds the lock.
func (a *Agent) hear(m protocol.Message) {
	if l, ok := a.strategy.(Listener); ok {
		l.Hear(m)
	}
}
