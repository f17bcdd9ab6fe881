package web

import (
	"context"
	"net/http"
	"sync"
)

// proofs caches the newest verifications. One is made at a time: each reads a whole log.
type proofs struct {
	making sync.Mutex
	mu     sync.Mutex
	all    map[[2]string]Proof
}

// proofsMost is the size of the cache.
const proofsMost = 256

func newProofs() *proofs { return &proofs{all: map[[2]string]Proof{}} }

// of returns the last verification of a match, nil if there is none.
func (p *proofs) of(league, match string) *Proof {
	p.mu.Lock()
	defer p.mu.Unlock()
	if proof, ok := p.all[[2]string{league, match}]; ok {
		return &proof
	}
	return nil
}

// make verifies a match. One is verified at a time: it reads a whole journal, and any client may request it.
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
