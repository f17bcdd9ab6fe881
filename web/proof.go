package web

import (
	"context"
	"net/http"
	"sync"

	"agentleague/protocol"
)

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

// proofs caches the newest verifications. One is made at a time: each reads a whole log.
type proofs struct {
	making sync.Mutex
	mu     sync.Mutex
	all    map[[2]string]Proof
}

// proofsMost is the size of the cache.
const proofsMost = 256

// of returns the last verification of a match, nil if there is none.
func (p *proofs) of(league, match string) *Proof {
	p.mu.Lock()
	defer p.mu.Unlock()
	if proof, ok := p.all[[2]string{league, match}]; ok {
		return &proof
	}
	return nil
}

// make verifies a match and caches the proof. Verifications run one at a time, since each reads a whole journal and any
// client may request one.
func (p *proofs) make(r *http.Request, league, match string,
	verify func(ctx context.Context, league, match string) (Proof, error)) (Proof, error) {
	p.making.Lock()
	defer p.making.Unlock()
	if err := r.Context().Err(); err != nil { // it was canceled while it waited
		return Proof{}, err
	}
	proof, err := verify(r.Context(), league, match)
	if err != nil {
		return proof, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) >= proofsMost {
		clear(p.all)
	}
	p.all[[2]string{league, match}] = proof
	return proof, nil
}
