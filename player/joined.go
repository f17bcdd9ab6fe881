package player

import (
	"cmp"
	"log/slog"
	"slices"

	"agentleague/protocol"
)

// A Joined match is one that a player was invited to and has not heard the end
// of. One that is killed, and knows them when it is started again, goes on with
// them where their referees ask again.
type Joined struct {
	MatchID    string         `json:"match_id"`
	Attempt    int            `json:"attempt"`
	RoundID    protocol.Round `json:"round_id"`
	OpponentID string         `json:"opponent_id"`
	Commitment string         `json:"commitment,omitempty"` // to the draw, from the invitation
}

// keepJoined tells which matches the player is in. The caller holds the lock.
func (a *Agent) keepJoined() {
	if a.opts.KeepJoined == nil {
		return
	}
	now := slices.Clone(a.opts.Joined) // those that were not asked for since
	for b, p := range a.bouts {
		for _, i := range p.inviters {
			now = append(now, Joined{MatchID: b.match, Attempt: b.attempt, RoundID: i.round, OpponentID: i.opponent, Commitment: i.commitment})
			break // others invited to the same
		}
	}
	if err := a.opts.KeepJoined(now); err != nil {
		a.Node.Logger.Error("the matches in hand could not be kept", slog.Any("error", err))
	}
}

// goOn takes up a match that the player was in before it was started again: it
// knows that it joined, or what it answered. Only its true referee can show its
// token. The caller holds the lock.
func (a *Agent) goOn(h *protocol.Envelope, b bout) (*playing, bool) {
	if !a.showsReferee(h, b) || a.leaving() != nil {
		return nil, false
	}
	i := newInviter(h.AuthToken, h.Sender, true)
	a.restore(i, b)
	at := slices.IndexFunc(a.opts.Joined, func(j Joined) bool { return j.MatchID == b.match && max(j.Attempt, 1) == b.attempt })
	if at < 0 && len(i.answers) == 0 {
		return nil, false
	}
	if at >= 0 {
		was := a.opts.Joined[at]
		a.opts.Joined = slices.Delete(slices.Clone(a.opts.Joined), at, at+1)
		i.opponent, i.round, i.commitment = was.OpponentID, was.RoundID, cmp.Or(i.commitment, was.Commitment)
	}
	a.state = protocol.PlayerInMatch
	return a.join(b, i), true
}
