package foreign

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
)

// Register registers with the manager at that endpoint, in the persona's dialect, and reads the answer in the
// persona's position. An agent that listens late starts its server afterwards.
func (p *Player) Register(ctx context.Context, manager string) error {
	times := 1
	if p.Twice {
		times = 2
	}
	for range times {
		where, body := p.application(manager)
		reply, err := post(ctx, where, body)
		if err != nil {
			return fmt.Errorf("%s registers: %w", p.Name, err)
		}
		if err := p.admitted(reply); err != nil {
			return fmt.Errorf("%s registers: %w", p.Name, err)
		}
	}
	return p.server.listenAfter(ctx, p.ListenLate)
}

// application is the request for a place, and where it goes.
func (p *Player) application(manager string) (where string, body []byte) {
	switch p.Registration {
	case RegisterREST:
		return register(manager), encode(p.carry(p.inCamel(object{
			"display_name": p.Name, "version": "1.0.0", "endpoint": p.Endpoint(),
		})))
	case RegisterEnvelope:
		envelope := p.applicationEnvelope()
		envelope["data"] = object{"player_meta": p.meta()}
		return register(manager), encode(envelope)
	}
	return manager, encode(p.dress(p.frameApplication(p.applicationMessage())))
}

// register is where a manager with that endpoint takes registrations by REST.
func register(manager string) string {
	u, err := url.Parse(manager)
	if err != nil {
		return manager
	}
	u.Path = "/register"
	return u.String()
}

// applicationEnvelope is the head of its registration, with an id that it gave itself.
func (p Persona) applicationEnvelope() object {
	m := object{
		"protocol": "league.v2", "message_type": "LEAGUE_REGISTER_REQUEST", "sender": "player:" + orElse(p.OwnID, "P01"),
		"timestamp": p.now(), "conversation_id": "conv-a393192e",
	}
	if p.League != "" {
		m["league_id"] = p.League
	}
	return m
}

// meta is its introduction; some agents give only a name and an address.
func (p *Player) meta() object {
	m := object{"display_name": p.Name, "contact_endpoint": p.Endpoint()}
	if p.Registration == RegisterMeta {
		return m
	}
	m["version"], m["game_types"] = "1.0.0", []string{"even_odd"}
	if p.LeagueVersion {
		m["protocol_version"] = "league.v2"
	}
	return m
}

// applicationMessage is its registration.
func (p *Player) applicationMessage() object {
	switch p.Registration {
	case RegisterTyped:
		return object{"protocol": "league.v2", "message_type": "LEAGUE_REGISTER_REQUEST", "player_meta": p.meta()}
	case RegisterMeta:
		return object{"player_meta": p.meta()}
	case RegisterFlat:
		return object{"display_name": p.Name, "contact_endpoint": p.Endpoint()}
	}
	return p.applicationEnvelope().with(object{"player_meta": p.meta()})
}

// frameApplication frames a registration; agents that refuse ids of text do not send them.
func (p Persona) frameApplication(message object) object {
	rpc := object{"jsonrpc": "2.0", "method": p.RegisterName, "params": message, "id": 1}
	switch p.Framing {
	case FramingB:
		rpc["method"] = "LEAGUE_REGISTER_REQUEST"
		if p.IDs == IDEcho {
			rpc["id"] = "603fdf92-0000-4000-8000-000000000001"
		}
	case FramingC, FramingP:
		rpc["method"], rpc["params"], rpc["id"] = "tools/call", object{"name": p.RegisterName, "arguments": message}, 641456
	case FramingD:
		rpc["method"], rpc["params"] = "handle_message", object{"message": message}
	case FramingF:
		return message
	}
	return rpc
}

// admitted reads the grant of the manager in the persona's position.
func (p *Player) admitted(reply object) error {
	granted := p.unwrap(p.unframe(reply))
	if p.Camel { // other spellings are invisible to it
		delete(granted, "message_type")
		delete(granted, "player_id")
		granted = p.fromCamel(granted)
	}
	id := granted.text("player_id")
	switch status := granted.text("status"); {
	case status == "REJECTED":
		return fmt.Errorf("the manager rejects it: %s", granted.text("reason"))
	case id == "":
		return fmt.Errorf("no player_id where an agent of framing %s looks for it: %.300s", p.Framing, encode(reply))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.id, p.token, p.status = id, granted.text("auth_token"), granted.text("status")
	return nil
}

// unwrap extracts the grant from the manager's message. It is in the member in which requests have their body.
func (p Persona) unwrap(carrier object) object {
	switch {
	case p.Body.held():
		return carrier.object(string(p.Body))
	case p.Body == BodySplit || p.Body == BodyBeside:
		return carrier.object("data")
	}
	return carrier
}

// unframe extracts the manager's message from its response, which must have the framing of the request.
func (p Persona) unframe(reply object) object {
	result := reply.object("result")
	switch p.Framing {
	case FramingC, FramingP:
		var inner object
		for _, block := range result.list("content") {
			_ = json.Unmarshal([]byte(block.text("text")), &inner)
		}
		return inner
	case FramingD:
		if inner := result.object("message"); inner != nil && !p.axial() {
			return inner
		}
		return result
	case FramingE, FramingF, FramingG, FramingREST:
		if inner := reply.object("data"); inner != nil && !p.axial() {
			return reply.with(inner)
		}
		return reply
	}
	return result
}
