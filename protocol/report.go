package protocol

// How a step of a check ended.
const (
	Pass = "PASS"
	Fail = "FAIL"
	Warn = "WARN"
	Skip = "SKIP"
)

// A CheckStep is one check of an agent.
type CheckStep struct {
	ID       string  `json:"id"` // P07; it never means anything else
	Name     string  `json:"name"`
	Status   string  `json:"status" enum:"PASS|FAIL|WARN|SKIP"`
	Clause   string  `json:"clause"`             // a section of doc/protocol-spec.md
	Quote    string  `json:"quote,omitempty"`    // the text of that section
	Detail   string  `json:"detail,omitempty"`   // the problem, or why it was skipped
	Sent     string  `json:"sent,omitempty"`     // cut to a bound, tokens redacted
	Received string  `json:"received,omitempty"` // the same
	Fix      string  `json:"fix,omitempty"`      // the remedy
	Elapsed  float64 `json:"elapsed_sec"`
}

// A Report is the result of checking an agent.
type Report struct {
	URL     string      `json:"url"`
	Role    Role        `json:"role"`
	Agent   string      `json:"agent"`   // its own name
	Dialect string      `json:"dialect"` // how it was spoken to
	Strict  bool        `json:"strict"`  // whether deviations fail instead of warn
	Passed  int         `json:"passed"`
	Failed  int         `json:"failed"`
	Warned  int         `json:"warned"`      // steps with harmless deviations
	Skipped int         `json:"skipped"`     // steps that could not be tried
	Score   string      `json:"score"`       // passed of all that count: 31/33
	Verdict string      `json:"verdict"`     // one line for people
	Elapsed float64     `json:"elapsed_sec"` // in seconds
	Steps   []CheckStep `json:"steps"`

	Calls    []ToolUse `json:"calls,omitempty"`    // of an MCP server: the tools for each message
	Practice *Practice `json:"practice,omitempty"` // a match that was played with it, if one was

	Interrupted bool `json:"interrupted,omitempty"` // the check was stopped early: the steps are those so far
}

// A Practice is the outcome of a practice match, which tests an agent and counts in no league.
type Practice struct {
	MatchID  string `json:"match_id"`
	GameType string `json:"game_type"`
	OK       bool   `json:"ok"`   // it played to the end
	Said     string `json:"said"` // how it went, in one sentence
}

// OK reports whether no step failed.
func (r Report) OK() bool { return r.Failed == 0 }
