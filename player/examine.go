package player

import (
	"context"
	"fmt"

	"agentleague/protocol"
)

// examine compares the end of a bout with the player's own data, and reports contradictions to the manager. The
// caller holds the lock.
func (a *Agent) examine(ctx context.Context, b bout, p *playing, over *protocol.GameOver) {
	if a.seal == "" {
		return
	}
	var i *inviter
	if p != nil {
		i = p.native()
	}
	me := a.self(i, over)
	said := verdict{me.resultFor(over), number(over.GameResult.DrawnNumber.Value)}
	if was, told := a.told[b]; told && was == said || !told && a.memory.recalls(me, over) {
		return // it was examined before
	}
	found := a.wrong(b, i, over, said)
	put(&a.told, bout{a.announced.lasting(b.match), b.attempt}, said)
	if len(found) == 0 {
		return
	}
	m := &protocol.MatchProtest{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchProtest, ConversationID: "conv-protest-" + a.Node.Nonce(8),
			LeagueID: a.league, RoundID: over.RoundID, MatchID: b.match,
		},
		PlayerID: a.id, Attempt: b.attempt, What: found[0].what, Detail: found[0].detail,
	}
	if i != nil {
		m.Signed = i.signed()
	}
	a.protest(ctx, m)
}

// wrong lists the contradictions in the end of a bout. The caller holds the lock.
func (a *Agent) wrong(b bout, i *inviter, over *protocol.GameOver, said verdict) (found []protest) {
	add := func(what, format string, args ...any) {
		found = append(found, protest{what, fmt.Sprintf(format, args...)})
	}
	if i != nil {
		if detail := i.wrongMoves(a.id, over); detail != "" {
			add(protocol.ProtestMoves, "%s", detail)
		}
		if i.isWrongKey(keyOf(over)) {
			add(protocol.ProtestDraw, "the draw key does not match the commitment in the invitation")
		}
		if code := over.GameResult.Forfeits[a.id]; code != "" && i.hasAnswered() {
			add(protocol.ProtestForfeit, "this player forfeited with %s, although it answered in turn %d",
				protocol.Plain(code), i.last.turn)
		}
	}
	if was, told := a.told[b]; told && was != said {
		add(protocol.ProtestResult, "this player first got %s, and now %s", was, said)
	}
	if r := over.GameResult; r.WinnerPlayerID != nil && (said.result == protocol.Win) != (*r.WinnerPlayerID == a.id) {
		add(protocol.ProtestResult, "the result says %s, and the winner is %s", said.result,
			protocol.Plain(*r.WinnerPlayerID))
	}
	return found
}
