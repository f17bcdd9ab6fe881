package player

import (
	"slices"
	"sync"

	"agentleague/game"
	"agentleague/protocol"
)

// A bout is one attempt at a match. Two attempts are two bouts, so that a replaced referee and its successor never
// share one.
type bout struct {
	match   string
	attempt int
}

// bouts are those that are under way. Guarded by the agent.
type bouts map[bout]*playing

// playing is a bout from its first invitation to its end. A native referee has it exclusively. A foreign referee
// cannot be authenticated: each inviter has a separate place, and all get the same choices.
type playing struct {
	inviters []*inviter // those that came first come first
	choices  map[question]*choice
	told     bool            // a foreign inviter has sent a result
	doubtful bool            // its native referee has, and did not show that it is that one
	usage    *protocol.Usage // of a language model, in all of it; nil: none
}

// An inviter is a referee, or claims to be one, in a bout.
type inviter struct {
	token    string // its token, in both directions
	referee  string // its id
	native   bool   // it showed a proof of our manager's authority
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
	chain      protocol.Chain
	answers    []*Answer // all, in the order in which they were given
	given      given     // those that stand
}

// A question is one choice. The same question from another inviter has the same answer.
type question struct {
	turn    int
	options string
}

// A choice is made once; repeated questions get the same.
type choice struct {
	ready   chan struct{}
	move    game.Move
	offered bool // it is among the options that were shown
	usage   *protocol.Usage
	err     error
}

func newPlaying() *playing { return &playing{choices: map[question]*choice{}} }

// newInviter is an inviter that shows a token in a bout for the first time.
func newInviter(token, sender string, native bool) *inviter {
	_, referee := protocol.ParseSender(sender)
	return &inviter{token: token, referee: referee, native: native}
}

// shows returns the inviter whose token a message shows. A foreign referee may omit it after its invitation; of
// several such, the one with the same sender is meant, or the newest.
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

// native returns the inviter that is a referee of our manager's, or nil.
func (p *playing) native() *inviter {
	i := slices.IndexFunc(p.inviters, func(i *inviter) bool { return i.native })
	if i < 0 {
		return nil
	}
	return p.inviters[i]
}

// leave ends one inviter's place, and reports whether none is left.
func (p *playing) leave(who *inviter) bool {
	p.inviters = slices.DeleteFunc(p.inviters, func(i *inviter) bool { return i == who })
	return len(p.inviters) == 0
}

// inHand reports whether the bout has not ended yet. One result from a foreign inviter is enough: the others are
// unauthenticated.
func (p *playing) inHand() bool {
	if p.native() != nil {
		return !p.doubtful
	}
	return !p.told
}

// unknownCaller refuses a caller that is not the referee of the match. It repeats only part of the token.
func unknownCaller(token string) error {
	if token == "" {
		return protocol.Errorf(protocol.AuthTokenMissing, "a referee must show the token of its match")
	}
	return protocol.Errorf(protocol.AuthTokenInvalid,
		"this is not the token of the match's referee").With("provided_token", protocol.Redact(token))
}

// toReferee is the envelope of an answer in a bout.
func toReferee(t protocol.Type, m protocol.Message, i *inviter) protocol.Envelope {
	h := m.Head()
	return protocol.Envelope{MessageType: t, AuthToken: i.token, LeagueID: h.LeagueID, RoundID: h.RoundID,
		MatchID: h.MatchID}
}

// maxInviters is how many foreign inviters have a place in one match, in all its attempts.
const maxInviters = 8

// under returns the bout of an inviter with another match id, whose token a message shows. An id that was used twice
// means the match that is open now.
func (all bouts) under(h *protocol.Envelope, attempt int, open func(match string) bool) (found bout) {
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

// join puts an inviter into its bout.
func (all *bouts) join(b bout, i *inviter) *playing {
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

// makeRoom reports whether a match has room for one more foreign inviter. One that calls from the referee's machine
// replaces one that does not: callers elsewhere cannot fill a match before its referee comes.
func (all bouts) makeRoom(match string, there bool) bool {
	inviters, elsewhere := 0, bout{}
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

// isElsewhere reports whether an inviter called from another machine than the announced one.
func (i *inviter) isElsewhere() bool { return !i.native && !i.there }

// follow notes that an answer was given.
func (i *inviter) follow(w *Answer, chain protocol.Chain) {
	i.answers = append(i.answers, w)
	i.given.stand(w)
	i.chain = chain
}

// signed are all answers of a bout in the form for verification, or nil.
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
