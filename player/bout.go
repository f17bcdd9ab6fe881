package player

import (
	"slices"
	"sync"

	"agentleague/game"
	"agentleague/protocol"
)

// A matchAttempt identifies one attempt at a match. A repeated match is a separate attempt, so that a replaced referee
// and its successor never share state.
type matchAttempt struct {
	match   string
	attempt int
}

// openAttempts are the attempts at matches in progress. They are guarded by the agent's lock.
type openAttempts map[matchAttempt]*playing

// playing is the state of an attempt at a match, from its first invitation to its end. An attempt at a match has at
// most one native referee. Third-party referees cannot be authenticated: there may be several inviters, and all receive
// the same choices.
type playing struct {
	inviters []*inviter // those that came first come first
	choices  map[question]*choice
	told     bool            // a third-party inviter has sent a result
	doubtful bool            // its native referee has, and did not show that it is that one
	usage    *protocol.Usage // of a language model, in all of it; nil: none
}

// An inviter is a referee of an attempt at a match, or a client that claims to be one.
type inviter struct {
	token    string // its token, in both directions
	referee  string // its id
	native   bool   // it showed a proof of this program's manager's authority
	called   string // its id for the match
	there    bool   // it called from where the match's referee was announced to be
	opponent string
	seat     string // the player's place in the match, by its own statement
	round    protocol.Round
	last     question // the newest that it asked
	turns    turns    // that it has asked about
	refused  string   // why the choice was refused, if it gave a reason
	ended    bool     // it has sent a result

	commitment string     // to the draw, from its first invitation
	signing    sync.Mutex // held while an answer is made and kept
	chain      protocol.AnswerChain
	answers    []*Answer // all, in the order in which they were given
	given      given     // those that stand
}

// A question identifies one choice in an attempt at a match. The same question from several inviters gets the same
// answer.
type question struct {
	turn    int
	options string
}

// A choice is the answer to a question; repeated questions reuse it.
type choice struct {
	ready   chan struct{}
	move    game.Move
	offered bool // it is among the options that were shown
	usage   *protocol.Usage
	err     error
}

func newPlaying() *playing { return &playing{choices: map[question]*choice{}} }

// newInviter returns an inviter for a new token and the sender of its message.
func newInviter(token, sender string, native bool) *inviter {
	_, referee := protocol.ParseSender(sender)
	return &inviter{token: token, referee: referee, native: native}
}

// shows returns the inviter that sent a message, which it finds by the message's token, or nil. If the token is
// missing, as from some third-party referees, it returns the inviter with the same sender, or else the newest
// third-party inviter.
func (p *playing) shows(h *protocol.Envelope) *inviter {
	for _, i := range p.inviters {
		if protocol.SameToken(i.token, h.AuthToken) && i.called == h.MatchID {
			return i
		}
	}
	if h.AuthToken != "" {
		return nil
	}
	_, referee := protocol.ParseSender(h.Sender)
	var found *inviter
	for _, i := range p.inviters {
		if !i.native && i.called == h.MatchID && (found == nil || found.referee != referee || i.referee == referee) {
			found = i
		}
	}
	return found
}

// native returns the inviter that this program's manager has assigned, or nil.
func (p *playing) native() *inviter {
	i := slices.IndexFunc(p.inviters, func(i *inviter) bool { return i.native })
	if i < 0 {
		return nil
	}
	return p.inviters[i]
}

// leave removes an inviter from the attempt, and reports whether none is left.
func (p *playing) leave(who *inviter) bool {
	p.inviters = slices.DeleteFunc(p.inviters, func(i *inviter) bool { return i == who })
	return len(p.inviters) == 0
}

// inHand reports whether the attempt is still open. A result from any third-party inviter closes an attempt at a match
// without a native referee, since its inviters are all unauthenticated.
func (p *playing) inHand() bool {
	if p.native() != nil {
		return !p.doubtful
	}
	return !p.told
}

// unknownCaller returns the error for a caller that is not the referee of the match. It contains only part of the
// token.
func unknownCaller(token string) error {
	if token == "" {
		return protocol.Errorf(protocol.AuthTokenMissing, "a referee must show the token of its match")
	}
	return protocol.Errorf(protocol.AuthTokenInvalid,
		"this is not the token of the match's referee").With("provided_token", protocol.Redact(token))
}

// toReferee returns the envelope of an answer to an inviter.
func toReferee(t protocol.Type, m protocol.Message, i *inviter) protocol.Envelope {
	h := m.Head()
	return protocol.Envelope{MessageType: t, AuthToken: i.token, LeagueID: h.LeagueID, RoundID: h.RoundID,
		MatchID: h.MatchID}
}

// maxInviters is the maximum number of third-party inviters in one match, over all its attempts.
const maxInviters = 8

// under finds the attempt of an inviter that uses its own match id, by the token of its message. If several match
// attempts match, it returns an open one rather than a closed one. It returns the zero match attempt if there is none.
func (all openAttempts) under(h *protocol.Envelope, attempt int, open func(match string) bool) (found matchAttempt) {
	for b, p := range all {
		if b.attempt != attempt || b.match == h.MatchID || p.shows(h) == nil {
			continue
		}
		if newer := open(b.match); newer && !open(found.match) || newer == open(found.match) && b.match > found.match {
			found = b
		}
	}
	return found
}

// join puts an inviter into its match attempt.
func (all *openAttempts) join(b matchAttempt, i *inviter) *playing {
	p := (*all)[b]
	if p == nil {
		p = newPlaying()
		put(all, b, p)
	}
	p.inviters = append(p.inviters, i)
	for _, w := range i.answers { // from before the player was started again
		p.used(w.Usage)
	}
	return p
}

// makeRoom reports whether a match can take one more third-party inviter. there means that the new inviter calls from
// the announced address of the referee. It then replaces an inviter from another address if necessary, so that other
// clients cannot exhaust the limit before the referee calls.
func (all openAttempts) makeRoom(match string, there bool) bool {
	inviters, elsewhere := 0, matchAttempt{}
	for b, p := range all {
		if b.match != match {
			continue
		}
		inviters += len(p.inviters)
		if slices.ContainsFunc(p.inviters, (*inviter).isElsewhere) {
			elsewhere = b
		}
	}
	if inviters < maxInviters {
		return true
	}
	p := all[elsewhere]
	if !there || p == nil {
		return false
	}
	if p.leave(p.inviters[slices.IndexFunc(p.inviters, (*inviter).isElsewhere)]) {
		delete(all, elsewhere)
	}
	return true
}

// isElsewhere reports whether a third-party inviter called from another host than the announced one.
func (i *inviter) isElsewhere() bool { return !i.native && !i.there }

// follow records that answer w was given to inviter i. chain is the hash of all answers including w.
func (i *inviter) follow(w *Answer, chain protocol.AnswerChain) {
	i.answers = append(i.answers, w)
	i.given.stand(w)
	i.chain = chain
}

// signed returns all answers of an attempt at a match with the last signature, for verification, or nil if there are
// none.
func (i *inviter) signed() *protocol.SignedAnswers {
	if len(i.answers) == 0 {
		return nil
	}
	last := i.answers[len(i.answers)-1]
	out := &protocol.SignedAnswers{Head: last.Head, Signature: last.Signature}
	for _, w := range i.answers {
		out.Answers = append(out.Answers, protocol.SignedAnswer{Turn: w.Turn, View: w.View, Move: w.Move})
	}
	return out
}
