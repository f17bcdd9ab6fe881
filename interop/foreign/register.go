package foreign

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
)

// Register registers the player with the manager at that endpoint, in the persona's dialect. With ListenLate the
// player listens afterwards. It returns an error if the manager refuses or its answer is not in the persona's form.
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

// application returns the URL and the body of the registration request.
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

// register returns the URL at which the manager with that endpoint accepts registrations by REST.
func register(manager string) string {
	u, err := url.Parse(manager)
	if err != nil {
		return manager
	}
	u.Path = "/register"
	return u.String()
}

// applicationEnvelope returns the envelope of the registration. Its sender has an id that the player chose itself.
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

// meta returns the player's introduction. Some agents give only a name and an endpoint.
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

// frameApplication wraps a registration in the persona's request format. The JSON-RPC id is a string only if the agent
// also accepts string ids.
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

// admitted reads the manager's answer to the registration, which must be in the persona's form and position.
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

// unwrap returns the admission in the manager's message. It is at the position at which requests have their message.
func (p Persona) unwrap(carrier object) object {
	switch {
	case p.Body.held():
		return carrier.object(string(p.Body))
	case p.Body == BodySplit || p.Body == BodyBeside:
		return carrier.object("data")
	}
	return carrier
}

// unframe returns the manager's message from its response, which must have the framing of the request.
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
