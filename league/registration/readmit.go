package registration

import (
	"context"
	"log/slog"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// An applicant that claims to be an existing agent without proof is refused with a code. With that code the
// organiser can admit it, after checking its operator.

// turnedAway records a refusal, and returns the code with which the organiser can admit the applicant. A repeated
// application keeps its code.
func (reg *Registrar) turnedAway(ap league.Application, no *league.Rejection, addr string) (code string) {
	r := &refusal{place: ap.Place, key: ap.Meta.PublicKey, Refusal: league.Refusal{
		AgentID: no.Of, Name: ap.Meta.DisplayName, Endpoint: ap.Meta.ContactEndpoint, Address: addr,
		Alive: no.Alive, At: time.Now(),
	}}
	b := make([]byte, 4)
	reg.cfg.Node.Network.Random(b)
	for i := range b {
		b[i] = codeLetters[int(b[i])%len(codeLetters)]
	}
	r.Code = string(b)
	if again := reg.refused.add(r); !again {
		reg.warn("an agent registers as "+r.AgentID+" without proof; if it is "+r.AgentID+", run "+
			"`league readmit "+r.AgentID+" "+r.Code+"`",
			slog.String("agent_id", r.AgentID), slog.String("code", r.Code), slog.String("endpoint", r.Endpoint),
			slog.String("address", r.Address), slog.Bool("old_one_answers", r.Alive))
	}
	return r.Code
}

// codeLetters make no words.
const codeLetters = "BCDFGHJKLMNPQRSTVWXZ"

// Refusals lists the refused applicants, newest last.
func (reg *Registrar) Refusals() []league.Refusal { return reg.refused.all() }

// Closed returns why no further player may join a league in a state, or "" if one may.
func (reg *Registrar) Closed(s *league.State) string { return reg.cfg.Limits().Refusal(s) }

// RefusalList lists the refusals for the admin.
func (reg *Registrar) RefusalList() []protocol.RefusalInfo {
	out := []protocol.RefusalInfo{}
	for _, r := range reg.refused.all() {
		out = append(out, protocol.RefusalInfo{
			AgentID: r.AgentID, Code: r.Code, DisplayName: r.Name, Endpoint: r.Endpoint, Address: r.Address,
			Alive: r.Alive, At: protocol.Stamp(r.At),
		})
	}
	return out
}

// Readmit readmits an excluded agent. With the code of a refusal it instead lets the refused applicant take the
// agent's place: the applicant registers again, older tokens become invalid, and the previous holder loses the
// place.
func (reg *Registrar) Readmit(ctx context.Context, id, code, by string) error {
	reg.cfg.League.Read(func(s *league.State) { id = s.Called(id) })
	var let *refusal // the applicant to admit
	if code != "" {
		if let = reg.refused.find(id, code); let == nil {
			return protocol.Errorf(protocol.InvalidMessage,
				"code: nobody was refused as %s with the code %q; `league status` lists the codes",
				league.Clip(id), league.Clip(code)).With("field", "code")
		}
	}
	err := reg.cfg.League.Do(ctx, func(s *league.State) ([]league.Event, error) {
		a := s.Agents[id]
		switch {
		case a == nil:
			return nil, protocol.Errorf(protocol.PlayerNotRegistered, "no agent %q has registered", league.Clip(id)).
				With("agent_id", league.Clip(id))
		case s.Completed():
			return nil, league.ErrOver()
		case a.Merged != "":
			return nil, protocol.Errorf(protocol.PlayerNotRegistered, "%s was merged into %s", id, a.Merged).
				With("agent_id", id)
		case let == nil && a.State != protocol.AgentShutdown:
			return nil, protocol.Errorf(protocol.InvalidMessage,
				"%s is in the league; to give the place of %s to another agent, give the code that it was refused with",
				id, id).With("field", "code")
		}
		if let != nil && a.Native() && let.key == a.Key {
			return nil, protocol.Errorf(protocol.InvalidMessage,
				"the agent that was refused has the key of %s: stop %s where it runs, and start it again there; if the key was "+
					"stolen, give %s a new identity and readmit that", id, id, id).With("field", "code")
		}
		e := league.Readmitted{ID: id, By: league.Origin(by)}
		if let != nil && (let.place != a.Place || let.key != a.Key) {
			e.Key, e.Place = let.key, let.place
		}
		return []league.Event{e}, nil
	})
	if err != nil {
		return err
	}
	reg.refused.forget(id)
	reg.info("readmission ordered", slog.String("agent_id", id), slog.String("by", league.Origin(by)))
	reg.cfg.Agents.LookAgain(id)
	return nil
}
