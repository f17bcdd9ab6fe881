package referee

import (
	"encoding/json"

	"agentleague/protocol"
)

// A native player signs each answer in a chain: the signature covers all earlier answers of the match too.
// The record contains it, so that the player cannot deny a move later.
//
//	S0 ─(turn, view, move)─▶ S1 ─(turn, view, move)─▶ S2 …    the last signature covers all

// A signer holds the signed answers of a seat. Guarded by the match.
type signer struct {
	key     string // its public key
	context protocol.AnswerContext
	chain   protocol.AnswerChain
	said    protocol.SignedAnswers
}

// newSigner returns the signer of a player in a match. It returns nil if the player does not sign: it has no key, or
// the order has no league seal to sign.
func newSigner(start *protocol.StartMatch, c protocol.Contender, referee, commitment string) *signer {
	if start.Seal == "" || c.PublicKey == "" {
		return nil
	}
	return &signer{key: c.PublicKey, context: protocol.AnswerContext{
		Seal: start.Seal, Match: start.MatchID, Attempt: start.Attempt, Referee: referee, Player: c.ID,
		Commitment: commitment,
	}}
}

// take verifies the proof of an answer and adds the answer to the chain. It returns an error with the reason if the
// proof is invalid. It is idempotent: a repeated answer is not added again.
func (g *signer) take(turn int, view string, move json.RawMessage, p *protocol.Proof) *protocol.Error {
	text := protocol.MoveText(move)
	if failure := g.malformed(text, p); failure != nil || g.repeats(turn, view, text, p) {
		return failure
	}
	next, failure := g.next(turn, view, text, p)
	if failure != nil {
		return failure
	}
	g.context.Head = p.Head
	g.chain, g.said.Head, g.said.Signature = next, p.Head, p.Signature
	g.said.Answers = append(g.said.Answers, protocol.SignedAnswer{Turn: turn, View: protocol.ViewHash(view), Move: text})
	return nil
}

// doubts returns an error with the reason for which the player cannot have signed this answer now, or nil. Unlike take,
// it changes nothing and does not accept a duplicate of the last answer.
func (g *signer) doubts(turn int, view string, move json.RawMessage, p *protocol.Proof) *protocol.Error {
	text := protocol.MoveText(move)
	if failure := g.malformed(text, p); failure != nil {
		return failure
	}
	_, failure := g.next(turn, view, text, p)
	return failure
}

// malformed returns an error if the form of a proof is invalid.
func (g *signer) malformed(move string, p *protocol.Proof) *protocol.Error {
	switch {
	case p == nil:
		return unproven("the answer has no proof: this player registered a key, so it signs every answer")
	case p.Move != move:
		return unproven("proof.move: got %.64q, want the move of the answer, %.64q", protocol.Plain(p.Move),
			protocol.Plain(move))
	case len(move) > maxNoted:
		return unproven("proof.move: want at most %d bytes, got %d", maxNoted, len(move))
	case !isHead(p.Head):
		return unproven("proof.head: want the newest head of the league, or nothing before the first")
	case len(g.said.Answers) > 0 && p.Head != g.said.Head:
		return unproven("proof.head: it is another than in the answer before; it stays the same in a match")
	}
	return nil
}

// next returns the chain extended by an answer, or an error if the player's signature does not cover it.
func (g *signer) next(turn int, view, move string, p *protocol.Proof) (protocol.AnswerChain, *protocol.Error) {
	chain := g.chain
	if len(g.said.Answers) == 0 {
		b := g.context
		b.Head = p.Head
		chain = b.NewChain()
	}
	next := chain.Then(turn, view, move)
	if err := protocol.CheckSignature(g.key, string(next), p.Signature); err != nil {
		return "", unproven("proof.signature: it is not of this answer and those before, by the key of %s", g.context.Player)
	}
	return next, nil
}

// repeats reports whether an answer is a duplicate of the last one.
func (g *signer) repeats(turn int, view, move string, p *protocol.Proof) bool {
	if len(g.said.Answers) == 0 {
		return false
	}
	last := g.said.Answers[len(g.said.Answers)-1]
	return last == protocol.SignedAnswer{Turn: turn, View: protocol.ViewHash(view), Move: move} &&
		protocol.CheckSignature(g.key, string(g.chain), p.Signature) == nil
}

// isHead reports whether a text has the form of a head, which is the hash of the last line of a league's log; "" is the
// head of an empty log.
func isHead(text string) bool { return text == "" || isHash(text) }

// unproven returns the error for an answer with an invalid proof.
func unproven(format string, args ...any) *protocol.Error {
	return protocol.Errorf(protocol.InvalidChoice, format, args...).With("unproven", true)
}

// forfeitFor returns the forfeit for a player's last failure. An illegal move of a player that signs counts as such
// only with a valid signature as proof; without it, the forfeit has another code.
func forfeitFor(failure *protocol.Error) *protocol.Error {
	if !failure.Kind.Illegal() || failure.Context["unproven"] == nil {
		return failure
	}
	return protocol.Errorf(protocol.MissingField, "%s", failure.Detail)
}
