package check

import (
	"context"
	"fmt"
	"strconv"

	"agentleague/protocol"
)

// A managerCheck is a session with a manager: the checker is the agents that register with it.
type managerCheck struct{ *session }

// An applicant is an agent of the checker's own that registers with the manager.
type applicant struct {
	role     protocol.Role
	name     string
	sender   string
	endpoint string
	reply    reply
}

// grant returns the answer to the applicant's registration.
func (a *applicant) grant() protocol.Grant {
	var g protocol.Grant
	switch m := a.reply.Message.(type) {
	case *protocol.LeagueRegisterResponse:
		g, _ = m.Granted("")
	case *protocol.RefereeRegisterResponse:
		g, _ = m.Granted("")
	}
	return g
}

// as is how a registered applicant signs.
func (a *applicant) as() string { return protocol.Sender(a.role, a.grant().ID) }

// request writes an application.
func (s managerCheck) request(a *applicant, conversation, token string) protocol.Message {
	head := protocol.Envelope{MessageType: protocol.TypeLeagueRegisterRequest, ConversationID: conversation,
		AuthToken: token}
	meta := protocol.AgentMeta{
		DisplayName: a.name, Version: "1.0.0", ProtocolVersion: protocol.Release, GameTypes: []string{"even_odd"},
		ContactEndpoint: a.endpoint,
	}
	if a.role == protocol.RoleReferee {
		head.MessageType, meta.MaxConcurrentMatches = protocol.TypeRefereeRegisterRequest, 1
		return &protocol.RefereeRegisterRequest{Envelope: head, Meta: meta}
	}
	return &protocol.LeagueRegisterRequest{Envelope: head, Meta: meta}
}

// register sends an application, bent if need be.
func (s managerCheck) register(ctx context.Context, a *applicant, token string, mutations ...mutation) reply {
	m := s.request(a, s.conversation("register"), token)
	if len(mutations) > 0 {
		return s.say(ctx, a.sender, m, mutations...)
	}
	return s.call(ctx, a.sender, m)
}

// ann, bob and ref are the checker's own agents. They register when they are first needed.
func (s managerCheck) ann(ctx context.Context) *applicant {
	return s.applicant(ctx, "ann", protocol.RolePlayer, "player:"+unlikely(s.node.Nonce(4)), 0)
}

func (s managerCheck) bob(ctx context.Context) *applicant {
	return s.applicant(ctx, "bob", protocol.RolePlayer, "player:check-bob", 1)
}

func (s managerCheck) ref(ctx context.Context) *applicant {
	return s.applicant(ctx, "ref", protocol.RoleReferee, "referee:check-ref", 1)
}

// unlikely makes an id of a random number that is not in use, not even from an earlier check.
func unlikely(hex string) string {
	n, _ := strconv.ParseUint(hex, 16, 32) // a nonce always is one
	return fmt.Sprintf("P%d", 10_000+n%90_000)
}

// applicant is an agent that has applied to the manager under test, once in a check; its name is new, so that a
// manager that was checked before does not know it.
func (s managerCheck) applicant(ctx context.Context, name string, role protocol.Role, sender string,
	seat int) *applicant {
	return once(s.session, name, func() *applicant {
		a := &applicant{role: role, name: "Check " + name + " " + s.node.Nonce(3), sender: sender, endpoint: s.manager.url}
		if h, err := s.fakePlayers(ctx); err == nil && role == protocol.RolePlayer {
			a.endpoint = h.players[seat].url
		} else if role == protocol.RoleReferee {
			a.endpoint = s.somewhere(ctx)
		}
		a.reply = s.register(ctx, a, "")
		return a
	})
}

// somewhere is an endpoint of the checker for one agent alone: one endpoint is one agent.
func (s managerCheck) somewhere(ctx context.Context) string {
	e := &fakeAgent{heard: s.hear, who: "player:check", takes: map[protocol.Type]take{protocol.TypePing: pong}}
	url, stop, err := e.listen(ctx, 0)
	if err != nil {
		return s.manager.url
	}
	s.atEnd(stop)
	return url
}

// closed returns why no agent can register, if the league has begun.
func closed(r reply) finding {
	if m, ok := r.Message.(*protocol.LeagueRegisterResponse); ok && m.Status == protocol.Rejected {
		for _, k := range []*protocol.Kind{protocol.RegistrationClosed, protocol.LeagueFull} {
			if m.ErrorName == k.Name {
				return skip("registration is closed: check a manager whose league has not started")
			}
		}
	}
	return pass
}

// admitted returns ann, or why the step is skipped.
func (s managerCheck) admitted(ctx context.Context) (*applicant, finding) {
	a := s.ann(ctx)
	if f := closed(a.reply); f.level != passes {
		return a, f
	}
	if a.grant().ID == "" {
		return a, skip("nobody can register")
	}
	return a, pass
}
