package web

import (
	"agentleague/protocol"
)

// A CheckHead names a check of an agent.
type CheckHead struct {
	ID       string `json:"check_id"`
	Endpoint string `json:"endpoint"`
	Role     string `json:"role,omitempty"` // as it was asked for; "": it is found out
	PlayerID string `json:"player_id,omitempty"`
	State    string `json:"state"` // RUNNING, DONE or FAILED
	Verdict  string `json:"verdict,omitempty"`
	Started  string `json:"started_at"`
}

// How a check stands.
const (
	checkRunning = "RUNNING"
	checkDone    = "DONE"
	checkFailed  = "FAILED"
)

// A CheckView is a check of an agent and what it found out.
type CheckView struct {
	LeagueID string `json:"league_id"`
	CheckHead
	Error  string           `json:"error,omitempty"` // why it could not be made
	Report *protocol.Report `json:"report,omitempty"`
	Name   string           `json:"display_name,omitempty"` // under which the agent can be added

	CanEnlist bool   `json:"-"`
	Known     string `json:"-"` // the agent of the league at that endpoint
}

// Title is that of the page.
func (v CheckView) Title() string { return "Check of " + v.Endpoint }

// Running reports whether it is under way.
func (v CheckView) Running() bool { return v.State == checkRunning }

// Dialect explains how the agent was spoken to.
func (v CheckView) Dialect() DialectView { return dialectView(v.Report.Dialect) }

// Steps are those of one status, in their order.
func (v CheckView) Steps(status string) (out []protocol.CheckStep) {
	for _, s := range v.Report.Steps {
		if s.Status == status {
			out = append(out, s)
		}
	}
	return out
}

// plainReport is a report as a page can show it: what the agent said is cut and without what does not print.
func plainReport(r protocol.Report) protocol.Report {
	steps := []protocol.CheckStep{}
	for _, s := range r.Steps {
		s.Detail, s.Sent, s.Received, s.Fix = plainLines(s.Detail), plainLines(s.Sent), plainLines(s.Received), plainLines(s.Fix)
		steps = append(steps, s)
	}
	r.Steps, r.Agent, r.URL = steps, nameShown(r.Agent), cut(r.URL, 300)
	return r
}
