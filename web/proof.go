package web

import "agentleague/protocol"

// A Proof is the verification of a match: all comparisons that were made.
type Proof struct {
	MatchID string      `json:"match_id"`
	OK      bool        `json:"ok"` // no difference
	Steps   []ProofStep `json:"steps"`
}

// A ProofStep is one comparison.
type ProofStep struct {
	Name   string `json:"name"`
	Status string `json:"status" enum:"PASS|FAIL|SKIP"`
	Detail string `json:"detail"`
}

// Add appends a step.
func (p *Proof) Add(status, name, detail string) {
	p.Steps = append(p.Steps, ProofStep{name, status, detail})
	p.OK = len(p.Steps) == 1 && status != protocol.Fail || p.OK && status != protocol.Fail
}

// Verdict summarizes the proof in a sentence.
func (p Proof) Verdict() string {
	if !p.OK {
		return "Something differs."
	}
	for _, s := range p.Steps {
		if s.Status == protocol.Skip {
			return "Nothing differs; some steps cannot be verified yet."
		}
	}
	return "Verified: nothing differs."
}
