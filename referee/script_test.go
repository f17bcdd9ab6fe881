package referee_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// A manager registers the referee and takes its reports. What a test sets
// replaces what it says.
type manager struct {
	h        *hall
	node     *rpc.Node
	process  *rpctest.Process
	token    string // what it grants to the referee
	admitted func(*protocol.RefereeRegisterRequest) (protocol.Message, error)
	reported func(*protocol.MatchResultReport) (protocol.Message, error)

	shown    func(*protocol.MatchMovesReport) (protocol.Message, error) // of a manager that draws itself
	welcomes bool                                                       // it gives the token by a welcome
	welcome  *protocol.WelcomeAck                                       // what the referee said to the last
}

// bootManager starts the manager, or starts it again.
func (h *hall) bootManager() {
	if h.manager == nil {
		h.manager = &manager{h: h, token: refereeToken}
	}
	m := h.manager
	m.process = h.boot("LM", managerURL)
	m.node = rpc.NewNode("league_manager", rpc.Options{Network: m.process})
	m.node.Handle(protocol.TypeRefereeRegisterRequest, func(_ context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
		h.note(&h.heard, "LM", msg)
		if admitted := scripted(h, &m.admitted); admitted != nil {
			return admitted(msg.(*protocol.RefereeRegisterRequest))
		}
		if scripted(h, &m.welcomes) {
			return m.welcomed(msg.(*protocol.RefereeRegisterRequest))
		}
		return m.admission(), nil
	})
	m.node.Handle(protocol.TypeMatchResultReport, func(_ context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
		h.note(&h.heard, "LM", msg)
		if reported := scripted(h, &m.reported); reported != nil {
			return reported(msg.(*protocol.MatchResultReport))
		}
		return m.counted(msg), nil
	})
	m.node.Handle(protocol.TypeMatchMovesReport, func(_ context.Context, _ rpc.From, msg protocol.Message) (protocol.Message, error) {
		h.note(&h.heard, "LM", msg)
		if draw := scripted(h, &m.shown); draw != nil {
			return draw(msg.(*protocol.MatchMovesReport))
		}
		return m.draw(msg.(*protocol.MatchMovesReport))
	})
	m.process.Serve(m.node)
}

// set changes scripts while somebody may be following them.
func (h *hall) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

// scripted reads what set may change.
func scripted[T any](h *hall, script *T) T {
	h.mu.Lock()
	defer h.mu.Unlock()
	return *script
}

// admission grants the referee its place.
func (m *manager) admission() *protocol.RefereeRegisterResponse {
	id, league := "REF01", leagueID
	return &protocol.RefereeRegisterResponse{
		Admission: protocol.Admission{
			Envelope: protocol.Envelope{MessageType: protocol.TypeRefereeRegisterResponse},
			Status:   protocol.Accepted, AuthToken: &m.token, LeagueID: &league, MatchTokens: true,
		},
		RefereeID: &id,
	}
}

// counted acknowledges a report.
func (m *manager) counted(msg protocol.Message) protocol.Message {
	h := msg.Head()
	return &protocol.MatchResultAck{
		Envelope: protocol.Envelope{MessageType: protocol.TypeMatchResultAck, LeagueID: h.LeagueID, MatchID: h.MatchID, RoundID: h.RoundID},
		Status:   protocol.Accepted,
	}
}

// call asks the referee with the token that only its manager can show.
func (m *manager) call(msg protocol.Message) (protocol.Message, error) {
	to := rpc.Peer{Endpoint: refereeURL, Dialect: protocol.Canonical, Token: protocol.ManagerToken(m.token, leagueID, msg.Head().MessageType, msg.Head().RoundID)}
	return m.node.Call(m.process.Context(), to, msg)
}

// A contender is a scripted player: honest, but for what a test sets.
type contender struct {
	h       *hall
	id, url string
	node    *rpc.Node
	process *rpctest.Process
	choice  string

	invited func(ctx context.Context, m *protocol.GameInvitation) (protocol.Message, error)
	asked   func(ctx context.Context, m *protocol.ChooseParityCall) (protocol.Message, error)
	toMove  func(ctx context.Context, m *protocol.GameMoveCall) (protocol.Message, error)
	over    func(ctx context.Context, m *protocol.GameOver) (protocol.Message, error)
	wrong   func(ctx context.Context, m *protocol.GameError) (protocol.Message, error)
}

// bootPlayer starts a player, or starts it again.
func (h *hall) bootPlayer(id string, port int) *contender {
	p := h.players[id]
	if p == nil {
		p = &contender{h: h, id: id, url: fmt.Sprintf("http://localhost:%d/mcp", port), choice: map[bool]string{true: "even", false: "odd"}[port%2 == 1]}
		p.invited = func(context.Context, *protocol.GameInvitation) (protocol.Message, error) { return p.join(true), nil }
		p.asked = func(context.Context, *protocol.ChooseParityCall) (protocol.Message, error) {
			return p.parity(quoted(p.choice)), nil
		}
		p.toMove = func(_ context.Context, m *protocol.GameMoveCall) (protocol.Message, error) {
			return p.move(m.MoveRequest.ValidOptions[0]), nil
		}
		p.over = func(context.Context, *protocol.GameOver) (protocol.Message, error) {
			return p.ack(protocol.TypeGameOverAck), nil
		}
		p.wrong = func(context.Context, *protocol.GameError) (protocol.Message, error) {
			return p.ack(protocol.TypeGameErrorAck), nil
		}
		h.players[id] = p
	}
	p.process = h.boot(id, p.url)
	p.node = rpc.NewNode("player:"+id, rpc.Options{Network: p.process})
	handle(p, protocol.TypeGameInvitation, &p.invited)
	handle(p, protocol.TypeChooseParityCall, &p.asked)
	handle(p, protocol.TypeGameMoveCall, &p.toMove)
	handle(p, protocol.TypeGameOver, &p.over)
	handle(p, protocol.TypeGameError, &p.wrong)
	p.process.Serve(p.node)
	return p
}

// handle notes what a player hears and answers by its script.
func handle[M protocol.Message](p *contender, t protocol.Type, script *func(context.Context, M) (protocol.Message, error)) {
	p.node.Handle(t, func(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
		p.h.note(&p.h.heard, p.id, m)
		return scripted(p.h, script)(ctx, m.(M))
	})
}

func quoted(s string) json.RawMessage { return json.RawMessage(`"` + s + `"`) }

func (p *contender) head(t protocol.Type) protocol.Envelope {
	return protocol.Envelope{MessageType: t, MatchID: "R1M1"}
}

func (p *contender) join(accept bool) *protocol.GameJoinAck {
	return &protocol.GameJoinAck{
		Envelope: p.head(protocol.TypeGameJoinAck), PlayerID: p.id, ArrivalTimestamp: protocol.Stamp(time.Now()), Accept: &accept,
	}
}

func (p *contender) parity(choice json.RawMessage) *protocol.ChooseParityResponse {
	return &protocol.ChooseParityResponse{Envelope: p.head(protocol.TypeChooseParityResponse), PlayerID: p.id, ParityChoice: choice}
}

func (p *contender) move(choice json.RawMessage) *protocol.GameMoveResponse {
	return &protocol.GameMoveResponse{
		Envelope: p.head(protocol.TypeGameMoveResponse), PlayerID: p.id, GameType: "tic_tac_toe",
		MoveData: protocol.MoveData{MoveType: "place_mark", Choice: choice},
	}
}

func (p *contender) ack(t protocol.Type) *protocol.Ack {
	return &protocol.Ack{Envelope: p.head(t), Status: protocol.Acknowledged, PlayerID: p.id}
}

// nothing is an answer without a message in it: the answer proper comes by a call.
func (p *contender) nothing() protocol.Message { return p.ack(protocol.TypeAnswerAck) }

// never answers nothing for as long as the player runs.
func never(ctx context.Context) (protocol.Message, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// callBack sends an answer as a call of the player's own and returns the code
// of the error that it gets, or "" if it is taken.
func (p *contender) callBack(m protocol.Message) string {
	m.Head().Protocol, m.Head().Sender, m.Head().Timestamp = protocol.Version, "player:"+p.id, protocol.Stamp(time.Now())
	params, err := protocol.Encode(m)
	if err != nil {
		p.h.t.Errorf("%s calls back: %v", p.id, err)
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"answer","params":%s,"id":1}`, params)
	_, answer, err := p.process.Post(p.process.Context(), refereeURL, "callback", []byte(body))
	if err != nil {
		return err.Error()
	}
	var reply struct {
		Error *struct {
			Code string `json:"error_code"`
		} `json:"error"`
	}
	if err := json.Unmarshal(answer, &reply); err != nil {
		p.h.t.Errorf("%s calls back: %v in %s", p.id, err, answer)
	}
	if reply.Error == nil {
		return ""
	}
	return reply.Error.Code
}

// in puts an answer into the conversation of the call that it answers.
func in[M protocol.Message](conversation string, m M) M {
	m.Head().ConversationID = conversation
	return m
}
