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

// A fakePlayer is a scripted player. It is honest by default.
type fakePlayer struct {
	h       *harness
	id, url string
	node    *rpc.Node
	process *rpctest.Process
	choice  string
	token   string // shown in every answer

	invited func(ctx context.Context, m *protocol.GameInvitation) (protocol.Message, error)
	asked   func(ctx context.Context, m *protocol.ChooseParityCall) (protocol.Message, error)
	toMove  func(ctx context.Context, m *protocol.GameMoveCall) (protocol.Message, error)
	over    func(ctx context.Context, m *protocol.GameOver) (protocol.Message, error)
	wrong   func(ctx context.Context, m *protocol.GameError) (protocol.Message, error)
}

// bootPlayer starts a player, or starts it again.
func (h *harness) bootPlayer(id string, port int) *fakePlayer {
	p := h.players[id]
	if p == nil {
		p = &fakePlayer{
			h: h, id: id, url: fmt.Sprintf("http://localhost:%d/mcp", port),
			choice: map[bool]string{true: "even", false: "odd"}[port%2 == 1],
		}
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

// handle stores a player's received message and answers by its script.
func handle[M protocol.Message](p *fakePlayer, t protocol.Type,
	script *func(context.Context, M) (protocol.Message, error)) {
	p.node.Handle(t, func(ctx context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
		p.h.note(&p.h.heard, p.id, m)
		return scripted(p.h, script)(ctx, m.(M))
	})
}

func quoted(s string) json.RawMessage { return json.RawMessage(`"` + s + `"`) }

func (p *fakePlayer) head(t protocol.Type) protocol.Envelope {
	return protocol.Envelope{MessageType: t, MatchID: "R1M1", AuthToken: p.token}
}

func (p *fakePlayer) join(accept bool) *protocol.GameJoinAck {
	return &protocol.GameJoinAck{
		Envelope: p.head(protocol.TypeGameJoinAck), PlayerID: p.id, ArrivalTimestamp: protocol.Stamp(time.Now()),
		Accept: &accept,
	}
}

func (p *fakePlayer) parity(choice json.RawMessage) *protocol.ChooseParityResponse {
	return &protocol.ChooseParityResponse{
		Envelope: p.head(protocol.TypeChooseParityResponse), PlayerID: p.id, ParityChoice: choice,
	}
}

func (p *fakePlayer) move(choice json.RawMessage) *protocol.GameMoveResponse {
	return &protocol.GameMoveResponse{
		Envelope: p.head(protocol.TypeGameMoveResponse), PlayerID: p.id, GameType: "tic_tac_toe",
		MoveData: protocol.MoveData{MoveType: "place_mark", Choice: choice},
	}
}

func (p *fakePlayer) ack(t protocol.Type) *protocol.Ack {
	return &protocol.Ack{Envelope: p.head(t), Status: protocol.Acknowledged, PlayerID: p.id}
}

// nothing is an answer without a message in it: the answer proper comes by a call.
func (p *fakePlayer) nothing() protocol.Message { return p.ack(protocol.TypeAnswerAck) }

// never answers nothing for as long as the player runs.
func never(ctx context.Context) (protocol.Message, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// callBack sends an answer as a call of the player's own and returns the code
// of the error that it gets, or "" if it is taken.
func (p *fakePlayer) callBack(m protocol.Message) string {
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
