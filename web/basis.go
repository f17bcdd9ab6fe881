package web

import (
	"fmt"
	"slices"

	"agentleague/league"
	"agentleague/protocol"
)

// A Contest is what somebody says against a result.
type Contest struct {
	By     string `json:"by"`
	What   string `json:"what"` // MOVES, DRAW, FORFEIT or RESULT
	Detail string `json:"detail"`
}

// contests are the objections against a result, as they may be shown: cut to length, without addresses.
func contests(m *league.Match) []Contest {
	out := []Contest{}
	for _, c := range m.Against {
		out = append(out, Contest{said(c.By, 64), said(c.What, 32), said(protocol.RedactText(c.Detail), 500)})
	}
	return out
}

// A Refused is somebody that was turned away as an agent of the league.
type Refused struct {
	AgentID  string `json:"agent_id"` // whom it would be
	Code     string `json:"code"`     // that lets it in
	Name     string `json:"display_name"`
	Endpoint string `json:"endpoint"`
	Address  string `json:"address"` // from which it called
	Alive    bool   `json:"old_one_answers"`
}

// Command is what lets it in.
func (r Refused) Command() string { return fmt.Sprintf("league readmit %s %s", r.AgentID, r.Code) }

// newestFirst returns warnings as a page lists them. Parts of their texts are chosen by strangers and clipped.
func newestFirst(list []protocol.Warning) []protocol.Warning {
	out := []protocol.Warning{}
	for _, w := range slices.Backward(list) {
		w.Text, w.Address = said(w.Text, 500), said(w.Address, 64)
		out = append(out, w)
	}
	return out
}

// refused are the registrations that were turned away, as they may be shown. What strangers wrote in them is cut to
// length.
func refused(list []league.Refusal) []Refused {
	out := []Refused{}
	for _, r := range list {
		out = append(out, Refused{
			said(r.AgentID, 64), said(r.Code, 16), said(r.Name, nameMost), said(r.Endpoint, 200), said(r.Address, 64), r.Alive,
		})
	}
	return out
}
