package protocol

// How a step of a check ended.
const (
	Pass = "PASS"
	Fail = "FAIL"
	Warn = "WARN"
	Skip = "SKIP"
)

// A CheckStep is one thing that was looked at in an agent.
type CheckStep struct {
	ID       string  `json:"id"` // P07; it never means anything else
	Name     string  `json:"name"`
	Status   string  `json:"status" enum:"PASS|FAIL|WARN|SKIP"`
	Clause   string  `json:"clause"`             // a section of doc/protocol-spec.md
	Quote    string  `json:"quote,omitempty"`    // what that section says of it
	Detail   string  `json:"detail,omitempty"`   // what is wrong, or why it was not looked at
	Sent     string  `json:"sent,omitempty"`     // cut to a bound, tokens redacted
	Received string  `json:"received,omitempty"` // the same
	Fix      string  `json:"fix,omitempty"`      // what to do about it
	Elapsed  float64 `json:"elapsed_sec"`
}

// A Report is what a check found out about an agent.
type Report struct {
	URL     string      `json:"url"`
	Role    Role        `json:"role"`
	Agent   string      `json:"agent"`   // what it calls itself
	Dialect string      `json:"dialect"` // how it was spoken to
	Strict  bool        `json:"strict"`  // whether what differs fails, rather than warns
	Passed  int         `json:"passed"`
	Failed  int         `json:"failed"`
	Warned  int         `json:"warned"`      // steps in which it differs in what others do not depend on
	Skipped int         `json:"skipped"`     // steps that could not be tried
	Score   string      `json:"score"`       // passed of all that count: 31/33
	Verdict string      `json:"verdict"`     // one line for people
	Elapsed float64     `json:"elapsed_sec"` // in seconds
	Steps   []CheckStep `json:"steps"`

	Calls    []ToolUse `json:"calls,omitempty"`    // of an MCP server: what is called for what
	Practice *Practice `json:"practice,omitempty"` // a match that was played with it, if one was

	Interrupted bool `json:"interrupted,omitempty"` // somebody ended the check: the steps are those so far
}

// A Practice is one match that was played with an agent to see whether it can, and that counts nowhere.
type Practice struct {
	MatchID  string `json:"match_id"`
	GameType string `json:"game_type"`
	OK       bool   `json:"ok"`   // it played to the end
	Said     string `json:"said"` // how it went, in one sentence
}

// OK reports whether no step failed.
func (r Report) OK() bool { return r.Failed == 0 }
