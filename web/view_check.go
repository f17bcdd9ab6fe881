package web

import (
	"slices"
	"strings"

	"agentleague/protocol"
)

// A checkHead identifies a check of an agent.
type checkHead struct {
	ID       string `json:"check_id"`
	Endpoint string `json:"endpoint"`
	Role     string `json:"role,omitempty"` // the requested role; "": to be detected
	PlayerID string `json:"player_id,omitempty"`
	State    string `json:"state"` // RUNNING, DONE or FAILED
	Verdict  string `json:"verdict,omitempty"`
	Started  string `json:"started_at"`
}

// The states of a check.
const (
	checkRunning = "RUNNING"
	checkDone    = "DONE"
	checkFailed  = "FAILED"
)

// A checkView is a check of an agent with its result.
type checkView struct {
	LeagueID string `json:"league_id"`
	checkHead
	Error  string           `json:"error,omitempty"` // the reason why it failed
	Report *protocol.Report `json:"report,omitempty"`
	Name   string           `json:"display_name,omitempty"` // under which the agent can be added

	CanEnlist bool   `json:"-"`
	Known     string `json:"-"` // the agent of the league at that endpoint
}

// Title returns the page title.
func (v checkView) Title() string { return "Check of " + v.Endpoint }

// Running reports whether it is under way.
func (v checkView) Running() bool { return v.State == checkRunning }

// Dialect explains the dialect of the check.
func (v checkView) Dialect() DialectView { return dialectView(v.Report.Dialect) }

// plainReport returns a report in a form that a page can show: the agent's texts are cut and without unprintable
// characters.
func plainReport(r protocol.Report) protocol.Report {
	steps := []protocol.CheckStep{}
	for _, s := range r.Steps {
		s.Detail, s.Sent, s.Received, s.Fix = plainLines(s.Detail), plainLines(s.Sent), plainLines(s.Received),
			plainLines(s.Fix)
		steps = append(steps, s)
	}
	r.Steps, r.Agent, r.URL = steps, nameShown(r.Agent), said(r.URL, 300)
	r.Calls = slices.Clone(r.Calls)
	for i := range r.Calls {
		r.Calls[i].Tool = said(r.Calls[i].Tool, 80)
	}
	if p := r.Practice; p != nil {
		r.Practice = &protocol.Practice{MatchID: p.MatchID, GameType: p.GameType, OK: p.OK, Said: said(p.Said, 400)}
	}
	return r
}

// Words returns the state of the check in words.
func (h checkHead) Words() string {
	return map[string]string{checkRunning: "running", checkDone: "done", checkFailed: "failed"}[h.State]
}

// Tone returns the style class of the verdict.
func (v checkView) Tone() string {
	switch {
	case v.Report == nil:
		return ""
	case !v.Report.OK():
		return "bad"
	case v.Report.Warned > 0:
		return "warn"
	}
	return "good"
}

// Groups groups the steps by their outcome, failures first.
func (v checkView) Groups() (out []stepGroup) {
	for _, g := range []stepGroup{
		{Status: protocol.Fail, Name: "failed"}, {Status: protocol.Warn, Name: "warnings"},
		{Status: protocol.Pass, Name: "passed"}, {Status: protocol.Skip, Name: "skipped"},
	} {
		for _, s := range v.Report.Steps {
			if s.Status == g.Status {
				g.Steps = append(g.Steps, s)
			}
		}
		if len(g.Steps) == 1 {
			g.Name = strings.TrimSuffix(g.Name, "s")
		}
		if len(g.Steps) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// A stepGroup has the steps of a check with the same outcome.
type stepGroup struct {
	Status, Name string
	Steps        []protocol.CheckStep
}

// Tone returns the style class of the group.
func (g stepGroup) Tone() string {
	return map[string]string{protocol.Fail: "bad", protocol.Warn: "warn", protocol.Pass: "good"}[g.Status]
}

// Open reports whether the group is shown expanded.
func (g stepGroup) Open() bool { return g.Status == protocol.Fail || g.Status == protocol.Warn }
