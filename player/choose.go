package player

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"agentleague/game"
	"agentleague/protocol"
	"agentleague/rpc"
)

// chooseParity handles the question for even or odd, which has its own message type.
func (s *refereeServer) chooseParity(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	call := m.(*protocol.ChooseParityCall)
	about, err := protocol.MarshalAppend(make([]byte, 0, 256), &call.Context)
	if err != nil {
		return nil, err
	}
	v := game.View{Ask: "choose_parity", Options: parities(), Context: about}
	q := inquiry{attempt: call.Attempt, due: dueAt(m.Head(), call.Deadline, time.Now()), game: call.GameType, opponent: call.Context.OpponentID,
		standing: call.Context.YourStandings, view: v}
	b, i, said, err := s.choose(ctx, m, q)
	if err != nil {
		return nil, err
	}
	answer := &protocol.ChooseParityResponse{
		Envelope: toReferee(protocol.TypeChooseParityResponse, m, i), PlayerID: s.called(), ParityChoice: said.move,
		Choice: said.move, Proof: said.proof, Usage: said.told(),
	}
	if !i.native {
		retryInterval := *answer
		s.mu.Lock()
		defer s.mu.Unlock()
		s.callBack(ctx, m, b.match, &retryInterval, s.wentOn(i, len(i.turns)))
	}
	return answer, nil
}

// parities returns the options of Even/Odd, as a new slice that the strategy may change.
func parities() []game.Move {
	const even, odd = `"even"`, `"odd"`
	both, n := []byte(even+odd), len(even)
	return []game.Move{both[:n:n], both[n:]}
}

// chooseMove handles the question for a move of any other game.
func (s *refereeServer) chooseMove(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	call := m.(*protocol.GameMoveCall)
	r := call.MoveRequest
	v := game.View{Turn: call.Turn, Ask: r.MoveType, Options: r.ValidOptions, Context: r.Context}
	q := inquiry{attempt: call.Attempt, due: dueAt(m.Head(), call.Deadline, time.Now()), game: call.GameType, opponent: call.OpponentID, view: v,
		shown: call.View}
	_, i, said, err := s.choose(ctx, m, q)
	if err != nil {
		return nil, err
	}
	return &protocol.GameMoveResponse{
		Envelope: toReferee(protocol.TypeGameMoveResponse, m, i), PlayerID: s.called(), GameType: call.GameType,
		MoveData: protocol.MoveData{MoveType: r.MoveType, Choice: said.move}, Proof: said.proof, Usage: said.told(),
	}, nil
}

// choose returns the answer to a question. It calls the strategy once per question of an attempt at a match; a repeated
// call waits for the running one or gets the same choice. A signed answer that was one of the offered options is final
// for its turn, even if the options of the repeated question differ.
func (s *refereeServer) choose(ctx context.Context, m protocol.Message, q inquiry) (matchAttempt, *inviter, reply, error) {
	s.mu.Lock()
	b, p, i, err := s.find(m.Head(), q.attempt)
	if err != nil {
		s.mu.Unlock()
		return b, nil, reply{}, err
	}
	what := q.question()
	i.last = what
	i.turns.note(what.turn)
	p.doubtful = p.doubtful && !i.native // it goes on
	if was := i.given.of(what.turn); was != nil {
		s.mu.Unlock()
		return b, i, was.reply(), nil
	}
	c, asked := p.choices[what]
	var match Match
	if !asked {
		c = &choice{ready: make(chan struct{})}
		p.choices[what] = c
		match = s.about(m.Head(), b, i, q)
	}
	s.mu.Unlock()
	if !asked {
		s.think(&thinking{Context: ctx, match: match, facts: &s.asker, bill: bill{log: s.node.Logger}}, c, p, i, q)
	} else if err := c.wait(ctx); err != nil {
		return b, nil, reply{}, err
	}
	if c.err != nil {
		return b, nil, reply{}, c.err
	}
	said, err := s.answer(b, i, q, c)
	return b, i, said, err
}

// wait blocks until the choice is made and returns nil, or returns the cause if ctx ends first.
func (c *choice) wait(ctx context.Context) error {
	select {
	case <-c.ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// about returns the description of the match for the strategy. The caller holds the lock.
func (s *refereeServer) about(h *protocol.Envelope, b matchAttempt, i *inviter, q inquiry) Match {
	return Match{
		LeagueID: cmp.Or(h.LeagueID, s.league), ID: b.match, Round: int(cmp.Or(h.RoundID, i.round)), Game: q.game,
		Opponent: cmp.Or(q.opponent, i.opponent), Attempt: b.attempt, Standing: q.standing, Refused: i.refused,
	}
}

// think calls the strategy with the question's deadline and stores the result in c. After an error the choice is
// removed from the attempt, so that a repeated question calls the strategy again.
func (s *refereeServer) think(t *thinking, c *choice, p *playing, i *inviter, q inquiry) {
	defer close(c.ready)
	t.due = q.due
	defer t.end()
	c.err = errNoOption // if the strategy panics
	c.move, c.err = s.strategy.Choose(t, q.view)
	if c.err == nil {
		c.move, c.err = sealable(c.move)
	}
	c.usage = t.bill.total()
	s.mu.Lock()
	defer s.mu.Unlock()
	p.used(c.usage)
	if c.err != nil {
		s.node.Logger.Warn("the strategy failed", slog.Any("error", c.err))
		delete(p.choices, q.question())
		return
	}
	c.offered = q.offers(c.move)
	i.refused = ""
	s.state = protocol.PlayerWaitingForResult
}

// sealable returns a move in its canonical JSON encoding, which the signature covers.
func sealable(m game.Move) (game.Move, error) {
	text, err := protocol.SealMove(m)
	if err != nil {
		return nil, fmt.Errorf("the strategy's move is not JSON: %w", err)
	}
	return text, nil
}

// gameError handles a referee's error message. If it complains about an illegal choice that was not one of the
// options, the next call of the referee asks the strategy again.
func (s *refereeServer) gameError(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	e := m.(*protocol.GameError)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, p, i, err := s.find(m.Head(), e.Attempt)
	if err != nil && s.native {
		return nil, err
	}
	if i != nil && refusesChoice(e) && cmp.Or(e.AffectedPlayer, e.PlayerID, s.id) == s.id {
		p.forget(i, protocol.Plain(e.Sentence()))
	}
	if err == nil {
		s.hear(m)
	}
	advice := ""
	if e.Suggestion != "" {
		advice = ". What to do: " + protocol.Clip(protocol.Plain(e.Suggestion), 300)
	}
	s.node.Logger.Warn("the referee of "+protocol.Plain(e.MatchID)+" reports: "+protocol.Plain(e.Sentence())+advice,
		slog.String("event_type", string(protocol.TypeGameError)), slog.String("error_code", e.ErrorCode),
		slog.String("match_id", e.MatchID), slog.String("consequence", e.Consequence))
	return s.ack(protocol.TypeGameErrorAck, m), nil
}

// refusesChoice reports whether an error message is about an illegal choice, rather than, for example, a late one.
func refusesChoice(e *protocol.GameError) bool {
	kind, known := protocol.KindNamed(e.ErrorName)
	return known && kind.Illegal() || e.ErrorCode == protocol.InvalidMove.Code
}

// forget drops the last choice for an inviter, which refused it for the reason why, unless the choice was one of the
// offered options. An offered option is final: otherwise a dishonest referee could refuse it to learn an alternative.
// The caller holds the agent's lock.
func (p *playing) forget(i *inviter, why string) {
	was, c := i.given.of(i.last.turn), p.choices[i.last]
	if was != nil && was.Offered || was == nil && c == nil {
		return
	}
	if c != nil {
		select {
		case <-c.ready:
		default: // it is being made: the complaint is about an earlier one
			return
		}
		if c.offered {
			return
		}
		delete(p.choices, i.last)
	}
	i.given.drop(i.last.turn)
	i.refused = why
}
