package player

import (
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
}

// keepJoined tells which matches the player is in. The caller holds the lock.
func (a *Agent) keepJoined() {
	if a.opts.KeepJoined == nil {
		return
	}
	now := slices.Clone(a.opts.Joined) // those that were not asked for since
	for b, p := range a.bouts {
		now = append(now, Joined{MatchID: b.match, Attempt: b.attempt, RoundID: p.round, OpponentID: p.opponent})
	}
	if err := a.opts.KeepJoined(now); err != nil {
		a.Node.Logger.Error("the matches in hand could not be kept", slog.Any("error", err))
	}
}

// goOn takes up a match that the player was in before it was started again.
// Only its true referee can show its token. The caller holds the lock.
func (a *Agent) goOn(h *protocol.Envelope, b bout) (*playing, bool) {
	i := slices.IndexFunc(a.opts.Joined, func(j Joined) bool { return j.MatchID == b.match && max(j.Attempt, 1) == b.attempt })
	if i < 0 || a.token == "" || a.isForeign(b.match) || a.leaving() != nil {
		return nil, false
	}
	_, referee := protocol.ParseSender(h.Sender)
	token := protocol.MatchToken(a.token, a.league, b.match, b.attempt, referee)
	if !protocol.SameToken(token, h.AuthToken) {
		return nil, false
	}
	was := a.opts.Joined[i]
	a.opts.Joined = slices.Delete(slices.Clone(a.opts.Joined), i, i+1)
	p := &playing{token: token, opponent: was.OpponentID, round: was.RoundID, choices: map[int]*choice{}}
	a.bouts[b], a.state = p, protocol.PlayerInMatch
	return p, true
}
