package rpc

import (
	"context"
	"errors"
	"slices"
	"sync"

	"agentleague/dialect"
	"agentleague/protocol"
)

// A question is the map key of expectations: a match and the expected type of answer.
type question struct {
	match string
	reply protocol.Type
}

func (w Want) question() question { return question{w.MatchID, w.Type} }

// expectations are the open expectations of a node.
type expectations struct {
	most   int         // how many may be open at once
	strict func() bool // whether the node takes no answer that only resembles one

	mu      sync.Mutex
	waiting map[question][]*Expectation // nil: none yet
	pending int                         // expectations in waiting
	spare   [][]*Expectation            // empty lists of waiting, for the next questions
	settled []*Expectation              // the newest that were answered in another way
}

func newExpectations(most int, strict func() bool) *expectations {
	return &expectations{most: most, strict: strict}
}

// open adds an expectation of an answer from one of addrs.
func (x *expectations) open(ctx context.Context, w Want, addrs []string) (context.Context, *Expectation, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.pending >= x.most {
		return nil, nil, errors.New("too many answers are waited for")
	}
	e := &Expectation{Want: w, among: x, addrs: addrs}
	e.life.Begin(ctx)
	if x.waiting == nil {
		x.waiting = map[question][]*Expectation{}
	}
	open := x.waiting[w.question()]
	if open == nil {
		open = x.list()
	}
	x.waiting[w.question()] = append(open, e)
	x.pending++
	return &e.life, e, nil
}

// maxSpare is the number of empty lists that are kept for reuse.
const maxSpare = 64

// list returns an empty list for the expectations of one question, of which a match has two.
func (x *expectations) list() []*Expectation {
	if last := len(x.spare) - 1; last >= 0 {
		open := x.spare[last]
		x.spare = x.spare[:last]
		return open
	}
	return make([]*Expectation, 0, 2)
}

// maxSettled is the number of settled expectations that are kept, so that late callbacks are acknowledged.
const maxSettled = 256

// settle stores an expectation that was answered by a direct reply.
func (x *expectations) settle(e *Expectation) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.settled = append(x.settled, e)
	if len(x.settled) > maxSettled {
		x.settled = x.settled[1:]
	}
}

// forget removes an expectation from the open ones. It does nothing if the expectation is not open.
func (x *expectations) forget(e *Expectation) {
	x.mu.Lock()
	defer x.mu.Unlock()
	q := e.question()
	i := slices.Index(x.waiting[q], e)
	if i < 0 {
		return
	}
	x.pending--
	e.closed = true
	open := slices.Delete(x.waiting[q], i, i+1)
	if len(open) > 0 {
		x.waiting[q] = open
		return
	}
	delete(x.waiting, q)
	if len(x.spare) < maxSpare {
		x.spare = append(x.spare, open)
	}
}

// has reports whether an expectation is open for the reply to m.
func (x *expectations) has(m protocol.Message, reply protocol.Type) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	h := m.Head()
	return slices.ContainsFunc(x.waiting[question{h.MatchID, reply}], func(e *Expectation) bool {
		return e.Conversation == h.ConversationID
	})
}

// answerable are the types of answers that may also arrive as a callback.
var answerable = map[protocol.Type]bool{
	protocol.TypeGameJoinAck:          true,
	protocol.TypeChooseParityResponse: true,
	protocol.TypeGameMoveResponse:     true,
}

// deliver passes an answer to its expectation.
func (x *expectations) deliver(from From, m protocol.Message) (protocol.Message, error) {
	e, settled, err := x.asker(from, m)
	if err == nil && !settled {
		m = e.tidied(m)
	}
	if err == nil && !settled && e.Refuse != nil { // it may take a while, and no call waits for it
		err = e.Refuse(m)
	}
	if err == nil && !settled {
		err = e.receive(m)
	}
	if err != nil {
		return nil, err
	}
	return e.thanks(), nil
}

// asker returns the expectation for a callback. settled means that the response to the call has answered it already.
func (x *expectations) asker(from From, m protocol.Message) (e *Expectation, settled bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	h := m.Head()
	if e := x.settledBy(from, m); e != nil {
		return e, true, nil
	}
	open := x.waiting[question{h.MatchID, h.MessageType}]
	if len(open) == 0 {
		open = x.siblings(m)
	}
	if len(open) == 0 {
		return nil, false, unexpected(h)
	}
	i := slices.IndexFunc(open, func(e *Expectation) bool { return e.believes(from, m) })
	if i < 0 {
		return nil, false, protocol.Errorf(protocol.AuthTokenInvalid,
			"%s for %s does not come from the player that was asked",
			h.MessageType, h.MatchID)
	}
	return open[i], false, nil
}

// calling records the start of a call to a player and returns the open expectation of its answer, or nil. The caller
// must call its method called at the end of the call.
func (x *expectations) calling(m protocol.Message, reply protocol.Type) *Expectation {
	if !answerable[reply] {
		return nil
	}
	h := m.Head()
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range x.waiting[question{h.MatchID, reply}] {
		if e.Conversation == h.ConversationID {
			e.calls++
			return e
		}
	}
	return nil
}

// called records the end of a call. back means that the peer responded, answered that the response contained an answer.
// A stored callback without proof of its sender is now accepted if the response was empty, and dropped otherwise.
func (e *Expectation) called(back, answered bool) {
	if e == nil {
		return
	}
	e.among.mu.Lock()
	defer e.among.mu.Unlock()
	if e.calls--; e.calls > 0 {
		return
	}
	weak := e.weak
	e.weak, e.empty = nil, back && !answered
	if weak != nil && e.empty && e.answer == nil {
		e.take(weak)
	}
}

// settledBy returns the settled expectation that a callback matches, or nil. The caller holds the lock.
func (x *expectations) settledBy(from From, m protocol.Message) *Expectation {
	h := m.Head()
	i := slices.IndexFunc(x.settled, func(e *Expectation) bool {
		return e.question() == (question{h.MatchID, h.MessageType}) && e.believes(from, m)
	})
	if i < 0 {
		return nil
	}
	return x.settled[i]
}

// siblings returns the open expectations of the other message type that can carry a move. The caller holds the lock.
func (x *expectations) siblings(m protocol.Message) (open []*Expectation) {
	if dialect.AsSibling(m) == nil {
		return nil
	}
	h := m.Head()
	for _, e := range x.waiting[question{h.MatchID, dialect.Sibling(h.MessageType)}] {
		if e.foreign() {
			open = append(open, e)
		}
	}
	return open
}
