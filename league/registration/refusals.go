package registration

import (
	"slices"
	"strings"
	"sync"

	"agentleague/league"
)

// A refusal is a refused applicant, with the place and key that identify it on return.
type refusal struct {
	league.Refusal
	place, key string
}

// Limits of the refusals that are remembered.
const (
	maxTurnedAway = 64
	maxOfAddress  = 8 // that called from one address
)

// refusals lists the refused applicants, each with the code that admits it.
type refusals struct {
	mu   sync.Mutex
	list []*refusal // the newest last
}

// add records a refusal. It reports whether the same applicant was refused as the same agent before, which keeps
// its code.
func (r *refusals) add(one *refusal) (again bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.list, func(o *refusal) bool {
		return o.AgentID == one.AgentID && o.place == one.place && o.key == one.key
	})
	if again = i >= 0; again {
		one.Code = r.list[i].Code
		r.list = slices.Delete(r.list, i, i+1)
	}
	r.forgetOldest(one.Address)
	r.list = append(r.list[max(0, len(r.list)+1-maxTurnedAway):], one)
	return again
}

// forgetOldest drops the oldest refusal if there is no room for one more, in all or of the address. The caller
// holds the lock.
func (r *refusals) forgetOldest(address string) {
	oldest, n := -1, 0
	for i := range slices.Backward(r.list) {
		if r.list[i].Address == address {
			oldest, n = i, n+1
		}
	}
	if n >= maxOfAddress {
		r.list = slices.Delete(r.list, oldest, oldest+1)
	}
}

// find returns the refusal of an applicant for agent id with that code, or nil.
func (r *refusals) find(id, code string) (found *refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.list {
		if one.AgentID == id && strings.EqualFold(one.Code, code) {
			found = one
		}
	}
	return found
}

// forget drops the refusals of an agent.
func (r *refusals) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(one *refusal) bool { return one.AgentID == id })
}

// all lists the refused applicants, newest last.
func (r *refusals) all() (out []league.Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.list {
		out = append(out, one.Refusal)
	}
	return out
}
