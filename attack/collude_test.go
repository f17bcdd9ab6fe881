package attack_test

import (
	"encoding/json"

	"agentleague/league"
	"agentleague/protocol"
)

// colluders are a guest referee and Beta, a player that signs every text that the guest requests. Alpha is not
// involved.
func colluders() family {
	// shown makes the guest send the true moves, after which it has the draw.
	shown := func(a *arena) (*evil, *protocol.MatchMovesReport, *protocol.MatchMovesAck) {
		e := a.evil(nil)
		e.gets()
		r := e.collect()
		reply, got := e.tells(r)
		ack, ok := reply.(*protocol.MatchMovesAck)
		if !ok {
			a.t.Fatalf("the true moves are refused: %s", got.text)
		}
		return e, r, ack
	}
	return family{name: "colluders", scene: oneMatch, each: true, after: duelEnds, attacks: []attack{
		{name: "the player signs another choice once the guest knows the draw", want: "E025", proof: league.Proven,
			try: func(a *arena) answer {
				e, r, ack := shown(a)
				_, got := e.tells(e.signedAnew(*r, a.cast["beta"].(*seated), "even"))
				for _, p := range e.players() {
					e.over(p, ack.Result, ack.Fairness)
				}
				return got
			}},
		{name: "both contest the result once they know the draw", want: "E025", proof: league.Proven,
			told: "protests against the result", try: func(a *arena) answer {
				e, _, ack := shown(a)
				for _, p := range e.players() {
					e.over(p, ack.Result, ack.Fairness)
				}
				beta := a.cast["beta"].(*seated)
				protest := post(a.t, a.url, stolen(a.t, beta.token(), forged(protocol.TypeMatchProtest, "player:"+beta.ID(), "",
					message{"round_id": 1, "match_id": "R1M1", "player_id": beta.ID(), "attempt": 1,
						"what": protocol.ProtestMoves, "detail": "I chose even"})))
				if protest.Code != "" {
					a.t.Errorf("the protest is refused: %s", protest.text)
				}
				return e.claims(forfeit(a.cast["alpha"].(*seated).ID(), beta.ID(), "E001"), nil)
			}},
	}}
}

// signedAnew is a report in which a player has chosen otherwise, with its true signature.
func (e *evil) signedAnew(r protocol.MatchMovesReport, p *seated, choice string) *protocol.MatchMovesReport {
	e.a.t.Helper()
	move := `"` + choice + `"`
	was := r.Signed[p.ID()]
	chain := protocol.AnswerContext{
		Seal: e.a.state().Seal, Match: e.start.MatchID, Attempt: e.start.Attempt, Referee: e.Granted().ID, Player: p.ID(),
		Commitment: e.commitment(), Head: was.Head,
	}.NewChain().Then(0, "", move)
	p.mu.Lock()
	defer p.mu.Unlock()
	signed := map[string]protocol.SignedAnswers{}
	for id, s := range r.Signed {
		signed[id] = s
	}
	signed[p.ID()] = protocol.SignedAnswers{
		Head: was.Head, Answers: []protocol.SignedAnswer{{Move: move}}, Signature: chain.Sign(p.kept.Key),
	}
	var moves []protocol.PlayedMove
	for _, m := range r.Moves {
		if m.PlayerID == p.ID() {
			m.Move = json.RawMessage(move)
		}
		moves = append(moves, m)
	}
	r.Moves, r.Signed = moves, signed
	return &r
}
