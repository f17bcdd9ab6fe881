package manager

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
)

// Who registers as another agent and cannot show that it is that one is turned
// away with a code. The organiser, who can look who it is, lets it in with that.

// A Refusal is somebody that was turned away as an agent of the league.
type Refusal struct {
	AgentID  string // whom it would be
	Code     string
	Name     string // that it gave
	Endpoint string
	Address  string // from which it called
	Alive    bool   // the agent that it would be still answers where it was
	At       time.Time

	place, key string
}

// maxTurnedAway is how many of those who were turned away are remembered.
const maxTurnedAway = 64

// turnedAway remembers a refusal, and returns the code that lets the applicant in.
// Who tries again has the same code.
func (m *Manager) turnedAway(ap league.Application, no *league.Rejection, addr string) (code string) {
	r := &Refusal{
		AgentID: no.Of, Name: ap.Meta.DisplayName, Endpoint: ap.Meta.ContactEndpoint, Address: addr, Alive: no.Alive, At: time.Now(),
		place: ap.Place, key: ap.Meta.PublicKey,
	}
	b := make([]byte, 4)
	m.Node.Network.Random(b)
	for i := range b {
		b[i] = codeLetters[int(b[i])%len(codeLetters)]
	}
	r.Code = string(b)
	again := false
	m.locked(func(v *volatile) {
		i := slices.IndexFunc(v.refusals, func(o *Refusal) bool { return o.AgentID == r.AgentID && o.place == r.place && o.key == r.key })
		if again = i >= 0; again {
			r.Code = v.refusals[i].Code
			v.refusals = slices.Delete(v.refusals, i, i+1)
		}
		v.refusals = append(v.refusals[max(0, len(v.refusals)+1-maxTurnedAway):], r)
	})
	if !again {
		m.warn("somebody registers as "+r.AgentID+" and cannot show that it is; if it is, `league readmit "+r.AgentID+" "+r.Code+"`",
			slog.String("agent_id", r.AgentID), slog.String("code", r.Code), slog.String("endpoint", r.Endpoint), slog.String("address", r.Address), slog.Bool("old_one_answers", r.Alive))
	}
	return r.Code
}

// codeLetters make no words.
const codeLetters = "BCDFGHJKLMNPQRSTVWXZ"

// Refusals lists who was turned away as an agent of the league, the newest last.
func (m *Manager) Refusals() (out []Refusal) {
	m.locked(func(v *volatile) {
		for _, r := range v.refusals {
			out = append(out, *r)
		}
	})
	return out
}

// refusalsTold lists them as the admin is told of them.
func (m *Manager) refusalsTold() []protocol.RefusalInfo {
	out := []protocol.RefusalInfo{}
	for _, r := range m.Refusals() {
		out = append(out, protocol.RefusalInfo{
			AgentID: r.AgentID, Code: r.Code, DisplayName: r.Name, Endpoint: r.Endpoint, Address: r.Address, Alive: r.Alive, At: protocol.Stamp(r.At),
		})
	}
	return out
}

// Readmit takes back an agent that was put out of the league. With the code of
// a refusal it lets the one that was refused be the agent: that one registers
// again, older tokens end, and whoever had the place before has it no longer.
func (m *Manager) Readmit(ctx context.Context, id, code, by string) error {
	var refusal *Refusal
	if code != "" {
		m.locked(func(v *volatile) {
			for _, r := range v.refusals {
				if r.AgentID == id && strings.EqualFold(r.Code, code) {
					refusal = r
				}
			}
		})
		if refusal == nil {
			return protocol.Errorf(protocol.InvalidMessage, "code: nobody was refused as %s with the code %q; `league status` lists the codes", league.Clip(id), league.Clip(code)).With("field", "code")
		}
	}
	err := m.do(ctx, func(s *league.State) ([]league.Event, error) {
		a := s.Agents[id]
		switch {
		case a == nil:
			return nil, protocol.Errorf(protocol.PlayerNotRegistered, "no agent %q has registered", league.Clip(id)).With("agent_id", league.Clip(id))
		case s.Completed():
			return nil, errOver()
		case refusal == nil && a.State != protocol.AgentShutdown:
			return nil, protocol.Errorf(protocol.InvalidMessage, "%s is in the league; to let somebody else be %s, give the code that it was refused with", id, id).With("field", "code")
		}
		e := league.Readmitted{ID: id, By: signed(by)}
		if refusal != nil && (refusal.place != a.Place || refusal.key != a.Key) {
			e.Key, e.Place = refusal.key, refusal.place
		}
		return []league.Event{e}, nil
	})
	if err != nil {
		return err
	}
	m.locked(func(v *volatile) {
		v.refusals = slices.DeleteFunc(v.refusals, func(r *Refusal) bool { return r.AgentID == id })
	})
	m.info("readmission ordered", slog.String("agent_id", id), slog.String("by", signed(by)))
	m.lookAgain(id)
	return nil
}

func (m *Manager) readmit(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	r := msg.(*protocol.ReadmitAgent)
	return reply(m.ordered(m.Readmit(ctx, r.AgentID, r.Code, orderedBy(from, msg.Head()))))
}

// Annul strikes the result of a match, which is played again under another draw.
func (m *Manager) Annul(ctx context.Context, match, why, by string) error {
	err := m.do(ctx, func(s *league.State) ([]league.Event, error) {
		found := s.Matches[match]
		switch {
		case s.Completed():
			return nil, errOver()
		case found == nil:
			return nil, protocol.Errorf(protocol.MatchNotFound, "no match %q has been played", league.Clip(match)).With("match_id", league.Clip(match))
		case found.Outcome == nil:
			return nil, protocol.Errorf(protocol.MatchNotFound, "%s has no result yet", match).With("match_id", match)
		}
		return []league.Event{league.Annulled{Match: match, Why: league.ClipTo(protocol.Plain(why), 500), By: signed(by)}}, nil
	})
	if err != nil {
		return err
	}
	m.warn("a result was annulled", slog.String("match_id", match), slog.String("why", protocol.Plain(why)), slog.String("by", signed(by)))
	m.locked(func(v *volatile) { delete(v.records, match); v.whole = 0 })
	m.kick()
	return nil
}

func (m *Manager) annul(ctx context.Context, from rpc.From, msg protocol.Message) (protocol.Message, error) {
	return reply(m.ordered(m.Annul(ctx, msg.Head().MatchID, msg.(*protocol.AnnulMatch).Reason, orderedBy(from, msg.Head()))))
}
