package web

import (
	"fmt"
	"slices"

	"agentleague/league"
	"agentleague/protocol"
)

// A Contest is an objection to a result.
type Contest struct {
	By     string `json:"by"`
	What   string `json:"what"` // MOVES, DRAW, FORFEIT or RESULT
	Detail string `json:"detail"`
}

// contests returns the objections to a result, sanitized for a page: cut to length, without addresses.
func contests(m *league.Match) []Contest {
	out := []Contest{}
	for _, c := range m.Against {
		out = append(out, Contest{said(c.By, 64), said(c.What, 32), said(protocol.RedactText(c.Detail), 500)})
	}
	return out
}

// A Refused is a refused registration.
type Refused struct {
	AgentID  string `json:"agent_id"` // the agent that it claims to be
	Code     string `json:"code"`     // the code that admits it
	Name     string `json:"display_name"`
	Endpoint string `json:"endpoint"`
	Address  string `json:"address"` // the caller's address
	Alive    bool   `json:"old_one_answers"`
}

// Command returns the shell command that admits the refused agent.
func (r Refused) Command() string { return fmt.Sprintf("league readmit %s %s", r.AgentID, r.Code) }

// newestFirst returns warnings in the order of a page. Parts of their texts are third-party input, and are cut to
// length.
func newestFirst(list []protocol.Warning) []protocol.Warning {
	out := []protocol.Warning{}
	for _, w := range slices.Backward(list) {
		w.Text, w.Address = said(w.Text, 500), said(w.Address, 64)
		out = append(out, w)
	}
	return out
}

// refused returns the refused registrations in the form that pages may show. Third-party input is cut to length.
func refused(list []league.Refusal) []Refused {
	out := []Refused{}
	for _, r := range list {
		out = append(out, Refused{
			said(r.AgentID, 64), said(r.Code, 16), said(r.Name, nameMost), said(r.Endpoint, 200), said(r.Address, 64), r.Alive,
		})
	}
	return out
}
