package player

import (
	"context"
	"fmt"
	"strings"

	"agentleague/protocol"
)

// examine compares the result of an attempt at a match with the player's own data, and reports contradictions to the
// manager in the background. over is the result from a trusted sender. The caller holds the lock.
func (s *refereeServer) examine(ctx context.Context, b matchAttempt, p *playing, over *protocol.GameOver) {
	if s.seal == "" {
		return
	}
	var i *inviter
	if p != nil {
		i = p.native()
	}
	me := s.namesIn(i, over)
	// This is stored for long and must not keep the whole message in memory.
	said := verdict{strings.Clone(me.resultFor(over)), number(over.GameResult.DrawnNumber.Value)}
	if was, told := s.told[b]; told && was == said || !told && s.memory.recalls(me, over) {
		return // it was examined before
	}
	found := s.wrong(b, i, over, said)
	put(&s.told, matchAttempt{s.announced.lasting(b.match), b.attempt}, said)
	if len(found) == 0 {
		return
	}
	m := &protocol.MatchProtest{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeMatchProtest, ConversationID: "conv-protest-" + s.node.Nonce(8),
			LeagueID: s.league, RoundID: over.RoundID, MatchID: b.match,
		},
		PlayerID: s.id, Attempt: b.attempt, What: found[0].what, Detail: found[0].detail,
	}
	if i != nil {
		m.Signed = i.signed()
	}
	s.manager.protest(ctx, m)
}

// wrong returns the contradictions between the result of an attempt at a match and the player's own data. The caller
// holds the lock.
func (s *refereeServer) wrong(b matchAttempt, i *inviter, over *protocol.GameOver, said verdict) (found []protest) {
	add := func(what, format string, args ...any) {
		found = append(found, protest{what, fmt.Sprintf(format, args...)})
	}
	if i != nil {
		if detail := i.wrongMoves(s.id, over); detail != "" {
			add(protocol.ProtestMoves, "%s", detail)
		}
		if i.isWrongKey(keyOf(over)) {
			add(protocol.ProtestDraw, "the draw key does not match the commitment in the invitation")
		}
		if code := over.GameResult.Forfeits[s.id]; code != "" && i.hasAnswered() {
			add(protocol.ProtestForfeit, "this player forfeited with %s, although it answered in turn %d",
				protocol.Plain(code), i.last.turn)
		}
	}
	if was, told := s.told[b]; told && was != said {
		add(protocol.ProtestResult, "this player first got %s, and now %s", was, said)
	}
	if r := over.GameResult; r.WinnerPlayerID != nil && (said.result == protocol.Win) != (*r.WinnerPlayerID == s.id) {
		add(protocol.ProtestResult, "the result says %s, and the winner is %s", said.result,
			protocol.Plain(*r.WinnerPlayerID))
	}
	return found
}
