package attack_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"agentleague/game/catalog"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// An evil referee is native, with its own key and all rights of a referee. It manipulates its first match and plays the
// others correctly.
type evil struct {
	*judge
	a     *arena
	order chan *protocol.StartMatch
	free  chan struct{}        // closed: it plays the other matches
	start *protocol.StartMatch // of the match in hand, as it can read it
}

// evil registers an evil referee: a guest, or with the secret one of the organiser's.
func (a *arena) evil(secret []byte) *evil {
	a.t.Helper()
	e := &evil{a: a, order: make(chan *protocol.StartMatch, 1), free: make(chan struct{})}
	a.cast["free"] = sync.OnceFunc(func() { close(e.free) })
	a.t.Cleanup(a.cast["free"].(func()))
	e.judge = a.judge("Evil", referee.Options{Secret: secret, MaxMatches: 4}, func(j *judge) {
		j.Node.Handle(protocol.TypeStartMatch, e.ordered)
	})
	if got := e.enter(a); got.Status != protocol.Accepted {
		a.t.Fatalf("the evil referee was not let in: %s", got.text)
	}
	return e
}

// ordered accepts a match. An order that is repeated is accepted again.
func (e *evil) ordered(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	start := m.(*protocol.StartMatch).Show(e.Granted().Token)
	if start.MatchID == "R1M1" {
		select {
		case e.order <- start:
		default:
		}
	} else {
		go e.honestly(start)
	}
	return &protocol.StartMatchAck{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeStartMatchAck, LeagueID: start.LeagueID, RoundID: start.RoundID, MatchID: start.MatchID,
		}, Status: protocol.Accepted,
	}, nil
}

// honestly plays a match as it should be played, once it may.
func (e *evil) honestly(start *protocol.StartMatch) {
	<-e.free
	if e.ctx.Err() == nil {
		honest := &evil{judge: e.judge, a: e.a, start: start}
		honest.repents(honest.collect())
	}
}

// gets starts the league and waits for the match.
func (e *evil) gets() *protocol.StartMatch {
	e.a.t.Helper()
	e.a.start()
	select {
	case e.start = <-e.order:
	case <-time.After(rpctest.Patience):
		e.a.t.Fatal("the evil referee gets no match")
	}
	return e.start
}

func (e *evil) players() []protocol.Contender {
	return []protocol.Contender{e.start.PlayerA, e.start.PlayerB}
}

// call sends a message to a player of the match.
func (e *evil) call(p protocol.Contender, m protocol.Message) (protocol.Message, error) {
	h := m.Head()
	h.LeagueID, h.RoundID, h.MatchID, h.AuthToken, h.ConversationID = e.start.LeagueID, e.start.RoundID, e.start.MatchID,
		p.Token, "conv-evil-"+p.ID
	return e.Node.Call(e.ctx, rpc.Peer{Endpoint: p.Endpoint, Dialect: protocol.Canonical}, m)
}

// commitment returns the commitment to the draw that players may receive.
func (e *evil) commitment() string {
	if key, err := hex.DecodeString(e.start.DrawKey); err == nil && len(key) > 0 {
		return protocol.KeyCommitment(key)
	}
	return e.start.DrawCommitment
}

// invite invites a player with a promise of the draw.
func (e *evil) invite(p protocol.Contender, commitment string) {
	e.a.t.Helper()
	_, err := e.call(p, &protocol.GameInvitation{
		Envelope: protocol.Envelope{MessageType: protocol.TypeGameInvitation}, GameType: "even_odd", RoleInMatch: "PLAYER_A",
		Role: "PLAYER_A", PlayerID: p.ID,
		OpponentID: "P99", Attempt: e.start.Attempt, Fairness: protocol.Fairness{Commitment: commitment},
	})
	if err != nil {
		e.a.t.Fatalf("%s does not come: %v", p.ID, err)
	}
}

// ask asks a player for its choice.
func (e *evil) ask(p protocol.Contender) *protocol.ChooseParityResponse {
	e.a.t.Helper()
	reply, err := e.call(p, &protocol.ChooseParityCall{
		Envelope: protocol.Envelope{MessageType: protocol.TypeChooseParityCall}, PlayerID: p.ID, GameType: "even_odd", Context: protocol.ChooseContext{OpponentID: "P99", RoundID: e.start.RoundID},
		Deadline: protocol.Stamp(time.Now().Add(rpctest.Patience)), Attempt: e.start.Attempt,
	})
	if err != nil {
		e.a.t.Fatalf("%s does not choose: %v", p.ID, err)
	}
	return reply.(*protocol.ChooseParityResponse)
}

// collect gets the moves of both players, signed, as a referee should.
func (e *evil) collect() *protocol.MatchMovesReport {
	e.a.t.Helper()
	return e.collectWith(e.commitment())
}

func (e *evil) collectWith(commitment string) *protocol.MatchMovesReport {
	e.a.t.Helper()
	r := &protocol.MatchMovesReport{
		GameType: "even_odd", Attempt: e.start.Attempt, Signed: map[string]protocol.SignedAnswers{},
	}
	for _, p := range e.players() {
		e.invite(p, commitment)
	}
	for _, p := range e.players() {
		got := e.ask(p)
		r.Moves = append(r.Moves, protocol.PlayedMove{PlayerID: p.ID, Move: got.ParityChoice})
		r.Signed[p.ID] = protocol.SignedAnswers{
			Head: got.Proof.Head, Answers: []protocol.SignedAnswer{{Move: got.Proof.Move}}, Signature: got.Proof.Signature,
		}
	}
	return r
}

// swapped are the moves with the players' choices exchanged.
func swapped(r protocol.MatchMovesReport) *protocol.MatchMovesReport {
	a, b := r.Moves[0], r.Moves[1]
	a.Move, b.Move = b.Move, a.Move
	r.Moves = []protocol.PlayedMove{a, b}
	return &r
}

// tells sends a report to the manager with the referee's own token, and returns the answer.
func (e *evil) tells(m protocol.Message) (protocol.Message, answer) {
	e.a.t.Helper()
	h := m.Head()
	h.LeagueID, h.RoundID, h.ConversationID = e.start.LeagueID, e.start.RoundID, "conv-evil-report"
	if h.MatchID == "" {
		h.MatchID = e.start.MatchID
	}
	switch m.(type) {
	case *protocol.MatchMovesReport:
		h.MessageType = protocol.TypeMatchMovesReport
	case *protocol.MatchResultReport:
		h.MessageType = protocol.TypeMatchResultReport
	}
	own := e.Granted()
	reply, err := e.Node.Call(e.ctx, rpc.Peer{Endpoint: e.a.url, Dialect: protocol.Canonical,
		Auth: &protocol.Credential{Token: own.Token, LeagueID: own.League, AgentID: own.ID}}, m)
	var no *protocol.Refusal
	if errors.As(err, &no) {
		kind, _ := protocol.KindNamed(no.Name)
		return nil, answer{Code: kind.Code, text: err.Error()}
	}
	if err != nil {
		e.a.t.Fatal(err)
	}
	return reply, answer{Status: protocol.Accepted}
}

// claims reports a result that was made up.
func (e *evil) claims(r protocol.ReportedResult, more func(*protocol.MatchResultReport)) answer {
	e.a.t.Helper()
	m := &protocol.MatchResultReport{GameType: "even_odd", Attempt: e.start.Attempt, Result: r}
	if m.Result.Score == nil {
		m.Result.Score = map[string]json.RawMessage{}
	}
	if m.Result.Details.Choices == nil {
		m.Result.Details.Choices = map[string]json.RawMessage{
			e.start.PlayerA.ID: json.RawMessage("null"), e.start.PlayerB.ID: json.RawMessage("null"),
		}
	}
	if e.start.DrawKey != "" {
		m.Fairness = &protocol.Fairness{Key: e.start.DrawKey, Commitment: e.commitment()}
	}
	if more != nil {
		more(m)
	}
	_, got := e.tells(m)
	return got
}

// repents completes the match correctly from the collected moves and informs the players.
func (e *evil) repents(r *protocol.MatchMovesReport) {
	e.a.t.Helper()
	reply, got := e.tells(r)
	ack, ok := reply.(*protocol.MatchMovesAck)
	if !ok {
		e.a.t.Fatalf("the true moves are refused: %s", got.text)
	}
	for _, p := range e.players() {
		e.over(p, ack.Result, ack.Fairness)
	}
}

// over sends a player the end of the match.
func (e *evil) over(p protocol.Contender, r protocol.ReportedResult, f protocol.Fairness) {
	e.a.t.Helper()
	m := &protocol.GameOver{
		Envelope: protocol.Envelope{MessageType: protocol.TypeGameOver}, GameType: "even_odd", PlayerID: p.ID,
		OpponentID: "P99", Attempt: e.start.Attempt, Fairness: &f, Result: protocol.Draw,
		GameResult: protocol.GameResult{
			Status: r.Details.Status, WinnerPlayerID: r.Winner, DrawnNumber: r.Details.DrawnNumber,
			NumberParity: r.Details.NumberParity, Choices: r.Details.Choices,
			Forfeits: r.Details.Forfeits, Reason: "it is said",
		},
		YourChoice: r.Details.Choices[p.ID],
	}
	switch _, lost := r.Details.Forfeits[p.ID]; {
	case lost:
		m.Result = protocol.TechnicalLoss
	case r.Winner != nil && *r.Winner == p.ID:
		m.Result = protocol.Win
	case r.Winner != nil:
		m.Result = protocol.Loss
	}
	if _, err := e.call(p, m); err != nil {
		e.a.t.Errorf("%s does not hear the end: %v", p.ID, err)
	}
}

// forfeit is the result of a match in which a player did not play.
func forfeit(loser, winner, code string) protocol.ReportedResult {
	return protocol.ReportedResult{
		Winner: &winner, Details: protocol.ReportDetails{
			Status: protocol.TechnicalLoss, Forfeits: map[string]string{loser: code},
		},
	}
}

// decided returns the result of the moves under the draw key, which the organiser's referees have.
func (e *evil) decided(r *protocol.MatchMovesReport) protocol.ReportedResult {
	e.a.t.Helper()
	key, err := hex.DecodeString(e.start.DrawKey)
	if err != nil {
		e.a.t.Fatal(err)
	}
	out, err := referee.Decide(catalog.Lookup, "even_odd", r.Moves, key, e.start.PlayerA.ID, e.start.PlayerB.ID,
		protocol.DefaultScoring)
	if err != nil {
		e.a.t.Fatal(err)
	}
	return out
}

// secret returns the secret that identifies the organiser's referees, for an evil one among them.
func (a *arena) secret() []byte {
	a.t.Helper()
	text, err := os.ReadFile(filepath.Join(a.root, "data", "secrets", "referee"))
	if err != nil {
		a.t.Fatal(err)
	}
	if b, err := hex.DecodeString(strings.TrimSpace(string(text))); err == nil {
		return b
	}
	return text
}
