package player

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"time"

	"agentleague/game"
	"agentleague/protocol"
	"agentleague/rpc"
)

// A bout is one attempt at a match. Two attempts are two bouts, so that a
// referee that was replaced and the one that replaced it never meet.
type bout struct {
	match   string
	attempt int
}

// playing is a bout from its invitation to its end.
type playing struct {
	token    string // what this bout's referee shows, and we to it
	foreign  bool   // the referee is of another make: it may leave its token out later on
	opponent string
	round    protocol.Round
	choices  map[int]*choice // by turn
	turn     int             // the newest that was asked for
	refused  string          // why its choice was not taken, if the referee said so
}

// A choice is made once; whoever asks again gets the same.
type choice struct {
	ready chan struct{}
	move  game.Move
	err   error
}

// invited binds a bout to its referee and joins it.
func (a *Agent) invited(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	inv := m.(*protocol.GameInvitation)
	a.mu.Lock()
	defer a.mu.Unlock()
	b := bout{inv.MatchID, max(inv.Attempt, 1)}
	p, known := a.bouts[b]
	if !known {
		token, err := a.bind(inv, b)
		if err == nil {
			err = a.leaving()
		}
		if err != nil {
			return nil, err
		}
		p = &playing{token: token, foreign: a.isForeign(inv.MatchID), opponent: inv.OpponentID, round: inv.RoundID, choices: map[int]*choice{}}
		a.bouts[b] = p
		a.keepJoined()
	} else if !protocol.SameToken(p.token, inv.AuthToken) {
		return nil, stranger(inv.AuthToken)
	}
	p.opponent, p.round = inv.OpponentID, inv.RoundID
	a.state = protocol.PlayerInMatch
	a.sayAgain(ctx, m, p, a.joins(m, p), a.asked(b))
	return a.joins(m, p), nil
}

// joins is the answer to an invitation. The caller holds the lock.
func (a *Agent) joins(m protocol.Message, p *playing) *protocol.GameJoinAck {
	yes := true
	return &protocol.GameJoinAck{
		Envelope: a.toReferee(protocol.TypeGameJoinAck, m, p), PlayerID: a.known(),
		ArrivalTimestamp: protocol.Stamp(time.Now()), Accept: &yes,
	}
}

// bind returns the token that a bout is bound to. Under a manager of ours it
// is computed and the invitation must show it; a foreign referee is bound to
// whatever its first invitation carries. The caller holds the lock.
func (a *Agent) bind(inv *protocol.GameInvitation, b bout) (string, error) {
	if a.isForeign(inv.MatchID) {
		return inv.AuthToken, nil
	}
	_, referee := protocol.ParseSender(inv.Sender)
	want := protocol.MatchToken(a.token, a.league, inv.MatchID, b.attempt, referee)
	if !protocol.SameToken(want, inv.AuthToken) {
		return "", stranger(inv.AuthToken)
	}
	return want, nil
}

// isForeign reports whether a match has a referee, or the league a manager, of
// another make. The caller holds the lock.
func (a *Agent) isForeign(match string) bool { return !a.matchTokens || a.foreign[match] }

func stranger(token string) error {
	if token == "" {
		return protocol.Errorf(protocol.AuthTokenMissing, "a referee shows the token of its match")
	}
	return protocol.Errorf(protocol.AuthTokenInvalid, "that is not the token of the match's referee").With("provided_token", protocol.Redact(token))
}

// toReferee is the envelope of an answer in a bout.
func (a *Agent) toReferee(t protocol.Type, m protocol.Message, p *playing) protocol.Envelope {
	h := m.Head()
	return protocol.Envelope{MessageType: t, AuthToken: p.token, LeagueID: h.LeagueID, RoundID: h.RoundID, MatchID: h.MatchID}
}

// find returns the bout that a referee's message is about. The caller holds the lock.
func (a *Agent) find(h *protocol.Envelope, attempt int) (bout, *playing, error) {
	b := bout{h.MatchID, max(attempt, 1)}
	p, ok := a.bouts[b]
	if !ok {
		p, ok = a.goOn(h, b)
	}
	if !ok {
		return b, nil, protocol.Errorf(protocol.MatchNotFound, "no invitation to match %q has come", h.MatchID)
	}
	if !protocol.SameToken(p.token, h.AuthToken) && !(p.foreign && h.AuthToken == "") {
		return b, nil, stranger(h.AuthToken)
	}
	return b, p, nil
}

func (a *Agent) chooseParity(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	call := m.(*protocol.ChooseParityCall)
	about, err := json.Marshal(call.Context)
	if err != nil {
		return nil, err
	}
	v := game.View{Ask: "choose_parity", Options: []game.Move{game.Move(`"even"`), game.Move(`"odd"`)}, Context: about}
	q := inquiry{attempt: call.Attempt, deadline: call.Deadline, game: call.GameType, opponent: call.Context.OpponentID, standing: call.Context.YourStandings, view: v}
	p, move, err := a.choose(ctx, m, q)
	if err != nil {
		return nil, err
	}
	answer := &protocol.ChooseParityResponse{
		Envelope: a.toReferee(protocol.TypeChooseParityResponse, m, p), PlayerID: a.called(), ParityChoice: move, Choice: move,
	}
	again := *answer
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sayAgain(ctx, m, p, &again, a.ended(bout{call.MatchID, max(call.Attempt, 1)}, len(p.choices)))
	return answer, nil
}

func (a *Agent) chooseMove(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	call := m.(*protocol.GameMoveCall)
	r := call.MoveRequest
	v := game.View{Turn: call.Turn, Ask: r.MoveType, Options: r.ValidOptions, Context: r.Context}
	p, move, err := a.choose(ctx, m, inquiry{attempt: call.Attempt, deadline: call.Deadline, game: call.GameType, opponent: call.OpponentID, view: v})
	if err != nil {
		return nil, err
	}
	return &protocol.GameMoveResponse{
		Envelope: a.toReferee(protocol.TypeGameMoveResponse, m, p), PlayerID: a.called(), GameType: call.GameType,
		MoveData: protocol.MoveData{MoveType: r.MoveType, Choice: move},
	}, nil
}

// An inquiry is what a referee's call asks for.
type inquiry struct {
	attempt  int
	deadline string
	game     string
	opponent string
	standing protocol.Tally
	view     game.View
}

// choose asks the strategy once per turn of a bout. A call that is repeated
// while it thinks waits with the first.
func (a *Agent) choose(ctx context.Context, m protocol.Message, q inquiry) (*playing, game.Move, error) {
	a.mu.Lock()
	b, p, err := a.find(m.Head(), q.attempt)
	if err != nil {
		a.mu.Unlock()
		return nil, nil, err
	}
	c, asked := p.choices[q.view.Turn]
	if !asked {
		c = &choice{ready: make(chan struct{})}
		p.choices[q.view.Turn], p.turn = c, q.view.Turn
		ctx = withMatch(ctx, a.about(m.Head(), b, p, q))
	}
	a.mu.Unlock()
	if !asked {
		a.think(ctx, c, p, q)
	}
	select {
	case <-c.ready:
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	return p, c.move, c.err
}

// about is what the strategy may know of the match. The caller holds the lock.
func (a *Agent) about(h *protocol.Envelope, b bout, p *playing, q inquiry) Match {
	return Match{
		LeagueID: cmp.Or(h.LeagueID, a.league), ID: b.match, Round: int(cmp.Or(h.RoundID, p.round)), Game: q.game,
		Opponent: cmp.Or(q.opponent, p.opponent), Attempt: b.attempt, Standing: q.standing, Refused: p.refused,
	}
}

// think asks the strategy, no longer than the referee waits. A strategy that
// fails may be asked again.
func (a *Agent) think(ctx context.Context, c *choice, p *playing, q inquiry) {
	defer close(c.ready)
	if t, _, err := protocol.ParseTime(q.deadline); err == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, t)
		defer cancel()
	}
	c.err = errNoOption // if the strategy panics
	c.move, c.err = a.strategy.Choose(ctx, q.view)
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.err != nil {
		a.Node.Logger.Warn("the strategy failed", slog.Any("error", c.err))
		delete(p.choices, q.view.Turn)
		return
	}
	p.refused = ""
	a.state = protocol.PlayerWaitingForResult
}

// gameOver notes how a bout ended. The newest attempt at a match is the one that is kept.
func (a *Agent) gameOver(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	over := m.(*protocol.GameOver)
	a.mu.Lock()
	defer a.mu.Unlock()
	b, p, err := a.find(m.Head(), over.Attempt)
	if a.heard(over) {
		if err == nil { // it was invited once more, to be told what it knows
			delete(a.bouts, b)
			a.keepJoined()
		}
		return a.ack(protocol.TypeGameOverAck, m), nil
	}
	if err != nil && (!a.matchTokens || !a.showsManager(m.Head())) {
		return nil, err
	}
	entry := a.entry(over)
	if p != nil && entry.OpponentID == "" {
		entry.OpponentID = p.opponent
	}
	delete(a.bouts, b)
	a.state = protocol.PlayerWaitingForRound
	a.keepJoined()
	a.hear(m)
	a.remember(entry)
	return a.ack(protocol.TypeGameOverAck, m), nil
}

// heard reports whether this very result is known already.
func (a *Agent) heard(over *protocol.GameOver) bool {
	return slices.ContainsFunc(a.history, func(m protocol.PlayerMatch) bool {
		return m.MatchID == over.MatchID && m.Attempt == max(over.Attempt, 1) && m.Result == a.result(over)
	})
}

// result reads how the match ended for this player, from the flat or the nested form.
func (a *Agent) result(over *protocol.GameOver) string {
	r := over.GameResult
	switch word := strings.ToUpper(over.Result); {
	case word == protocol.Win || word == protocol.Loss || word == protocol.Draw || word == protocol.TechnicalLoss:
		return word
	case r.WinnerPlayerID != nil && *r.WinnerPlayerID == a.id:
		return protocol.Win
	case r.Status == protocol.Draw:
		return protocol.Draw
	case r.Status == protocol.TechnicalLoss:
		return protocol.TechnicalLoss
	}
	return protocol.Loss
}

func (a *Agent) entry(over *protocol.GameOver) protocol.PlayerMatch {
	e := protocol.PlayerMatch{
		MatchID: over.MatchID, RoundID: over.RoundID, Timestamp: protocol.Stamp(time.Now()), OpponentID: over.OpponentID,
		Result: a.result(over), DrawnNumber: over.GameResult.DrawnNumber, PointsEarned: over.PointsEarned, Attempt: max(over.Attempt, 1),
		MyChoice: over.YourChoice, OpponentChoice: over.OpponentChoice,
	}
	for id, c := range over.GameResult.Choices {
		switch {
		case id == a.id && e.MyChoice == nil:
			e.MyChoice = c
		case id != a.id && e.OpponentChoice == nil:
			e.OpponentChoice = c
		}
	}
	return e
}

// remember keeps a result, teaches the strategy and tells whoever stores the history.
func (a *Agent) remember(e protocol.PlayerMatch) {
	i := slices.IndexFunc(a.history, func(m protocol.PlayerMatch) bool { return m.MatchID == e.MatchID })
	switch {
	case i < 0:
		a.history = append(a.history, e)
	case a.history[i].Attempt <= e.Attempt:
		a.history = slices.Clone(a.history) // who was told of it keeps what it was told
		a.history[i] = e
	default:
		return
	}
	a.learn(e)
	if a.opts.Remember == nil || a.opts.Recall != nil && !a.recalled { // what is not read yet is not written over
		return
	}
	if err := a.opts.Remember(a.id, slices.Clip(a.history)); err != nil {
		a.Node.Logger.Error("the history could not be kept", slog.Any("error", err))
	}
}

func (a *Agent) learn(m protocol.PlayerMatch) {
	if l, ok := a.strategy.(Learner); ok {
		l.Learn(m)
	}
}

// hear tells the strategy of a message, if it listens. The caller holds the lock.
func (a *Agent) hear(m protocol.Message) {
	if l, ok := a.strategy.(Listener); ok {
		l.Hear(m)
	}
}

// gameError notes what a referee complains of. A choice that it does not take is made again when it asks again.
func (a *Agent) gameError(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	e := m.(*protocol.GameError)
	a.mu.Lock()
	defer a.mu.Unlock()
	_, p, err := a.find(m.Head(), e.Attempt)
	if err != nil && a.matchTokens {
		return nil, err
	}
	if p != nil && refusesChoice(e) && cmp.Or(e.AffectedPlayer, e.PlayerID, a.id) == a.id {
		p.forget(complaint(e))
	}
	if err == nil {
		a.hear(m)
	}
	a.Node.Logger.Warn("the referee reports an error", slog.String("error_code", e.ErrorCode), slog.String("match_id", e.MatchID),
		slog.String("consequence", e.Consequence))
	return a.ack(protocol.TypeGameErrorAck, m), nil
}

// refusesChoice reports whether a complaint is about what was chosen, and not about when.
func refusesChoice(e *protocol.GameError) bool {
	kind, known := protocol.KindNamed(e.ErrorName)
	return known && kind == protocol.InvalidChoice || e.ErrorCode == protocol.InvalidChoice.Code
}

// complaint is a complaint in the words of who complains.
func complaint(e *protocol.GameError) string {
	detail, _ := e.Context["detail"].(string)
	return protocol.Plain(cmp.Or(detail, e.ErrorDescription, e.ErrorName, e.ErrorCode))
}

// forget drops the newest choice, if it has been made. The caller holds the agent's lock.
func (p *playing) forget(why string) {
	c, asked := p.choices[p.turn]
	if !asked {
		return
	}
	select {
	case <-c.ready:
		delete(p.choices, p.turn)
		p.refused = why
	default: // it is being made: the complaint is about an earlier one
	}
}
