package manager

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"agentleague/league"
	"agentleague/mailbox"
	"agentleague/protocol"
	"agentleague/rpc"
)

// Referees cannot call an agent with a mailbox. They send their messages to an address of the manager, see
// [protocol.RelayAddress], which passes them on. That address is not open: a message needs a proof that its sender
// judges a match of the agent.

// Relay passes the message of a referee on to an agent with a mailbox and returns its answer. If the message is not
// from a referee of one of the agent's matches, the error is a [mailbox.Refusal] and the agent does not receive it.
func (m *Manager) Relay(ctx context.Context, from rpc.From, id string, body []byte) (mailbox.Answer, error) {
	msg, ok := rpc.Summarize(body)
	if !ok || !slices.ContainsFunc(msg.Types, isOfReferees) {
		return mailbox.Answer{}, forbidden("only messages of referees to players are passed on here")
	}
	var agent *league.Registered
	m.Read(func(s *league.State) {
		if a := s.Agents[id]; a != nil && a.Role == protocol.RolePlayer && a.HasMailbox() && !a.LostPlace() {
			agent = registrationOf(a)
		}
	})
	if agent == nil {
		return mailbox.Answer{}, forbidden("%.20q is no player of %s with a mailbox", id, m.ID())
	}
	if !m.judges(ctx, from, id, msg) {
		m.Suspect("a message to "+id+" was refused: it does not show the token of a match of "+id, from.Addr)
		return mailbox.Answer{}, forbidden("the message does not show the token of a match of %s", id)
	}
	spec, _ := protocol.Lookup(msg.Types[0])
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(m.core.opts.Deadlines[spec.Type], spec.Deadline))
	defer cancel()
	status, answer, err := m.Node.Network.Post(ctx, agent.Endpoint, string(spec.Type), body)
	return mailbox.Answer{Status: status, Body: answer}, err
}

func forbidden(format string, values ...any) error {
	return &mailbox.Refusal{Status: http.StatusForbidden, Reason: fmt.Sprintf(format, values...)}
}

// isOfReferees reports whether referees send messages of a type to players.
func isOfReferees(t protocol.Type) bool {
	spec, _ := protocol.Lookup(t)
	return spec.From == string(protocol.RoleReferee) && spec.To == string(protocol.RolePlayer) && spec.Method != ""
}

// judges reports whether a message to player id is from a referee of one of the player's matches. Such a message has
// the token of the attempt, or comes from the address of the third-party referee of the match.
func (m *Manager) judges(ctx context.Context, from rpc.From, id string, msg rpc.Summary) bool {
	var guests []league.Registered
	shown := false
	m.Read(func(s *league.State) {
		player := s.Agents[id]
		token := m.keys.Token(s, player)
		for _, match := range matchesOf(s, id, msg.MatchID) {
			for _, a := range match.Assigned {
				shown = shown || protocol.IsMatchToken(msg.Token, token, m.ID(), match.ID, a.Attempt, a.Referee)
			}
			if ref := s.Agents[match.Attempt().Referee]; ref != nil && !ref.Native() {
				guests = append(guests, ref.Registered)
			}
		}
	})
	return shown || slices.ContainsFunc(guests, func(ref league.Registered) bool { return m.isAt(ctx, from, ref) })
}

// matchesOf returns the player's match with the id match, or if match is empty all open matches of the player.
func matchesOf(s *league.State, player, match string) (out []*league.Match) {
	list := s.Open()
	if match != "" {
		list = []*league.Match{s.Matches[match]}
	}
	for _, m := range list {
		if m != nil && (m.A == player || m.B == player) {
			out = append(out, m)
		}
	}
	return out
}

// isAt reports whether a request comes from the address of a third-party referee; if that referee has a mailbox, from
// the address of its newest connection.
func (m *Manager) isAt(ctx context.Context, from rpc.From, ref league.Registered) bool {
	if ref.HasMailbox() && m.core.opts.Office != nil {
		state := m.core.opts.Office.State(ref.Endpoint)
		return state.On && state.Peer == rpc.AddressKey(from.Addr)
	}
	return m.Node.ComesFrom(ctx, from, ref.Endpoint)
}

// wayTo describes how an agent with a mailbox endpoint is reached; "" for any other endpoint.
func (c *core) wayTo(endpoint string) string {
	if _, ok := protocol.MailboxID(endpoint); !ok || c.opts.Office == nil {
		return ""
	}
	return c.opts.Office.State(endpoint).String()
}

// SecondAtMailbox warns the organizer that another process has opened the mailbox with an id from an address, while a
// connection from the older address was open.
func (m *Manager) SecondAtMailbox(id, older, address string) {
	var agents []*league.Agent
	m.Read(func(s *league.State) { agents = s.AtMailbox(id) })
	for _, a := range agents {
		m.Suspect(fmt.Sprintf("a second program has opened the mailbox of %s with its key; the connection from %s was ended. "+
			"If the agent was not started again, its key is stolen: start it with another one and readmit it", a.ID, older), address)
	}
}

// HasMailbox reports whether an agent of the league has the mailbox with an id.
func (m *Manager) HasMailbox(id string) (yes bool) {
	m.Read(func(s *league.State) { yes = len(s.AtMailbox(id)) > 0 })
	return yes
}
