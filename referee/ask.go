package referee

import (
	"context"
	"errors"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// together is how close the last deadlines of two players must be for both to
// count as late. Without it the one whose timer fires first would lose to the
// other, although neither has answered.
const together = 500 * time.Millisecond

// errForfeited ends the open call to a player whose opponent has just lost.
var errForfeited = errors.New("the opponent has forfeited")

// stage asks every seat at once, so that none sees another's answer, and
// returns the right answers. A seat that gave none has forfeited, unless
// another one's forfeit ended the stage first.
func (m *match) stage(ctx context.Context, seats []*seat, q question) map[*seat]protocol.Message {
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		answers = map[*seat]protocol.Message{}
		ends    = make([]context.CancelCauseFunc, len(seats))
		first   = make([]protocol.Message, len(seats))
		ctxs    = make([]context.Context, len(seats))
	)
	for i, s := range seats {
		ctxs[i], ends[i] = context.WithCancelCause(ctx)
		first[i] = q.message(s, time.Now().Add(q.timeout))
		m.sent(s, first[i])
		m.clear(s)
	}
	for i, s := range seats {
		wg.Go(func() {
			defer ends[i](nil)
			answer, failure := m.ask(ctxs[i], s, q, first[i])
			if failure != nil {
				m.forfeit(s, failure)
				m.endOthers(seats, i, ends)
				return
			}
			if answer != nil {
				mu.Lock()
				defer mu.Unlock()
				answers[s] = answer
			}
		})
	}
	wg.Wait()
	return answers
}

func (m *match) clear(s *seat) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.final, s.answered, s.tries = time.Time{}, false, 0
}

func (m *match) forfeit(s *seat, failure *protocol.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.forfeit = failure
}

// endOthers ends the calls to the other seats at once, but for one whose last
// deadline passes at this very moment too.
func (m *match) endOthers(seats []*seat, lost int, ends []context.CancelCauseFunc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, s := range seats {
		late := !s.final.IsZero() && time.Until(s.final) < together
		if i != lost && !late {
			ends[i](errForfeited)
		}
	}
}

// ask calls one seat until it answers rightly or its tries are used up. Both
// results are nil if the match ended meanwhile.
func (m *match) ask(ctx context.Context, s *seat, q question, msg protocol.Message) (protocol.Message, *protocol.Error) {
	for k := 1; ; k++ {
		last := k > s.retries
		m.begin(s, last, q.timeout)
		answer, failure := m.try(ctx, s, q, msg, k, last)
		if answer != nil || ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return answer, nil
		}
		if last || failure == errDeclined || ctx.Err() != nil {
			return nil, failure
		}
		msg = q.message(s, time.Now().Add(q.timeout))
		m.sent(s, msg)
	}
}

func (m *match) begin(s *seat, last bool, timeout time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.tries++
	if last {
		s.final = time.Now().Add(timeout)
	}
}

// try calls a seat once. If that fails it tells the player and waits for the
// next try; an answer that comes by a call meanwhile still counts.
func (m *match) try(ctx context.Context, s *seat, q question, msg protocol.Message, k int, last bool) (protocol.Message, *protocol.Error) {
	open, expected, err := m.r.Node.Expect(ctx, rpc.Want{
		Type: q.reply, Peer: s.peer, PlayerID: s.ID, LeagueID: m.start.LeagueID, MatchID: m.start.MatchID, Conversation: s.conversation,
	})
	if err != nil {
		return nil, protocol.Errorf(protocol.Internal, "%v", err)
	}
	defer expected.Close()
	answer, err := m.call(open, s, q, msg)
	if answer == nil {
		answer = expected.Answer()
	}
	failure := m.judge(s, q, answer, err)
	if failure == nil {
		return answer, nil
	}
	if failure == errDeclined || ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, failure
	}
	last = last || ctx.Err() != nil
	m.complain(s, q, failure, k, last)
	if last {
		return nil, failure
	}
	if m.r.Node.Sleep(open, "pause "+s.ID+" "+m.start.MatchID, m.r.opts.Policy.pause(k)) == nil || answer != nil {
		return nil, failure
	}
	if late := expected.Answer(); late != nil && m.judge(s, q, late, nil) == nil {
		return late, nil
	}
	return nil, failure
}

// judge returns what is wrong with the outcome of a call, or nil. What the
// player sent is in the transcript either way.
func (m *match) judge(s *seat, q question, answer protocol.Message, err error) *protocol.Error {
	if answer == nil {
		return blame(err)
	}
	m.received(s, answer)
	return q.check(s, answer)
}

// blame names a failed call in the protocol's words.
func blame(err error) *protocol.Error {
	var refusal *protocol.Refusal
	if errors.As(err, &refusal) {
		if kind, ok := protocol.KindNamed(refusal.Name); ok && kind.Retryable {
			return protocol.Errorf(kind, "%v", refusal)
		}
		return protocol.Errorf(protocol.Connection, "%v", refusal)
	}
	var known *protocol.Error
	if errors.As(err, &known) {
		return known
	}
	return protocol.Errorf(protocol.Timeout, "no answer: %v", err)
}

// call sends msg to a seat, unless its endpoint is known to be dead and this
// match has made sure of that itself.
func (m *match) call(ctx context.Context, s *seat, q question, msg protocol.Message) (protocol.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, q.timeout)
	defer cancel()
	b := m.r.breakers.at(s.Endpoint, s.registered)
	m.mu.Lock()
	first := !s.reached
	s.reached = true
	m.mu.Unlock()
	if !b.open() {
		answer, err := b.Execute(func() (protocol.Message, error) { return m.r.Node.Call(ctx, s.peer, msg) })
		return answer, breakerError(s, err)
	}
	if !first {
		return nil, breakerError(s, errOpen)
	}
	answer, err := m.r.Node.Call(ctx, s.peer, msg)
	if !protocol.Is(err, protocol.Connection) {
		m.r.breakers.reset(s.Endpoint)
	}
	return answer, err
}

// complain tells a player what went wrong and what follows. It never delays the next try.
func (m *match) complain(s *seat, q question, failure *protocol.Error, k int, last bool) {
	p := m.r.opts.Policy
	m.mu.Lock()
	phase := m.phase
	m.mu.Unlock()
	e := &protocol.GameError{
		Envelope: m.envelope(s, protocol.TypeGameError), PlayerID: s.ID, AffectedPlayer: s.ID,
		ErrorCode: failure.Kind.Code, ErrorName: failure.Kind.Name, ErrorDescription: failure.Kind.Name,
		GameState: phase, ActionRequired: string(q.reply), Attempt: m.start.Attempt,
		Retryable: !last, RetryCount: k, MaxRetries: p.MaxRetries,
		RetryInfo:   &protocol.RetryInfo{RetryCount: k, MaxRetries: p.MaxRetries},
		Consequence: "TECHNICAL_LOSS if the retries are used up", Context: map[string]any{"detail": failure.Detail},
	}
	if last {
		e.RetryCount, e.RetryInfo.RetryCount, e.Consequence = k-1, k-1, protocol.TechnicalLoss
	} else {
		next := protocol.StampUp(time.Now().Add(p.pause(k)))
		e.RetryInfo.NextRetryAt = &next
	}
	m.sent(s, e)
	m.r.running.Go(func() { _, _ = m.r.Node.Call(m.r.base, s.peer, e) })
}
