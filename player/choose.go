package player

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"agentleague/game"
	"agentleague/protocol"
	"agentleague/rpc"
)

// chooseParity answers the question of Even/Odd, which has a separate message, in the same way as all other
// questions.
func (s *refereeServer) chooseParity(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	call := m.(*protocol.ChooseParityCall)
	about, err := protocol.MarshalAppend(make([]byte, 0, 256), &call.Context)
	if err != nil {
		return nil, err
	}
	v := game.View{Ask: "choose_parity", Options: parities(), Context: about}
	q := inquiry{attempt: call.Attempt, deadline: call.Deadline, game: call.GameType, opponent: call.Context.OpponentID,
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
		again := *answer
		s.mu.Lock()
		defer s.mu.Unlock()
		s.callBack(ctx, m, b.match, &again, s.wentOn(i, len(i.turns)))
	}
	return answer, nil
}

// parities are the options of Even/Odd. They are the strategy's own, as those of every question are.
func parities() []game.Move {
	const even, odd = `"even"`, `"odd"`
	both, n := []byte(even+odd), len(even)
	return []game.Move{both[:n:n], both[n:]}
}

// chooseMove answers the question of any other game.
func (s *refereeServer) chooseMove(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	call := m.(*protocol.GameMoveCall)
	r := call.MoveRequest
	v := game.View{Turn: call.Turn, Ask: r.MoveType, Options: r.ValidOptions, Context: r.Context}
	q := inquiry{attempt: call.Attempt, deadline: call.Deadline, game: call.GameType, opponent: call.OpponentID, view: v,
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

// choose asks the strategy once for each question of a bout. A call that is repeated while it thinks waits with the
// first. A signed answer is final, in whatever form the question is repeated.
func (s *refereeServer) choose(ctx context.Context, m protocol.Message, q inquiry) (bout, *inviter, reply, error) {
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

// wait returns when the choice is made, or with the reason why it is not needed any longer.
func (c *choice) wait(ctx context.Context) error {
	select {
	case <-c.ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// about is the strategy's information about the match. The caller holds the lock.
func (s *refereeServer) about(h *protocol.Envelope, b bout, i *inviter, q inquiry) Match {
	return Match{
		LeagueID: cmp.Or(h.LeagueID, s.league), ID: b.match, Round: int(cmp.Or(h.RoundID, i.round)), Game: q.game,
		Opponent: cmp.Or(q.opponent, i.opponent), Attempt: b.attempt, Standing: q.standing, Refused: i.refused,
	}
}

// think asks the strategy, no longer than the referee waits. A strategy that
// fails may be asked again.
func (s *refereeServer) think(t *thinking, c *choice, p *playing, i *inviter, q inquiry) {
	defer close(c.ready)
	if due, _, err := protocol.ParseTime(q.deadline); err == nil {
		t.due = due
	}
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

// sealable is a move in its encoded form: the signature covers the bytes that arrive.
func sealable(m game.Move) (game.Move, error) {
	text, err := protocol.SealMove(m)
	if err != nil {
		return nil, fmt.Errorf("the strategy's move is not JSON: %w", err)
	}
	return text, nil
}

// gameError records a referee's complaint. An illegal choice is made again when the referee asks again.
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

// refusesChoice reports whether a complaint is about the choice, and not about its time.
func refusesChoice(e *protocol.GameError) bool {
	kind, known := protocol.KindNamed(e.ErrorName)
	return known && kind.Illegal() || e.ErrorCode == protocol.InvalidMove.Code
}

// forget drops the last choice for an inviter, if it was not among the offered options. An offered one is repeated:
// the referee that refuses it would otherwise learn an alternative. The caller holds the agent's lock.
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
