package league

import (
	"fmt"
	"slices"

	"agentleague/protocol"
)

// The bases of a result.
const (
	Proven   = "proven"   // both players signed their moves, and the draw follows from the league's secret
	Judged   = "judged"   // it is the word of the organiser's referee, where not both have signed
	Unproven = "unproven" // it is the word of a guest
	Disputed = "disputed" // it is a guest's, and a player or another referee contests it
)

// restsOn returns the basis of a result that is not contested.
func restsOn(agents map[string]*Agent, m *Match, e *ResultRecorded, beside aside) string {
	signed := func(player string) bool { return beside.signedBy(e, player) && agents[player].Native() }
	ref := agents[e.Referee]
	switch {
	case e.Attempt == 0:
		return Judged // it was not played, and the log shows why
	case e.Result.Status != protocol.TechnicalLoss && ref.Native() && signed(m.A) && signed(m.B):
		return Proven
	case ref.Organiser:
		return Judged
	}
	return Unproven
}

// Basis counts the results of the league by their basis.
func (r *rounds) Basis() protocol.Basis { return r.basis }

// counted adds a match with a result to the counts, n times: once with its result, -1 times before that changes.
func counted(out protocol.Basis, m *Match, n int) protocol.Basis {
	if m.Hosted {
		out.Hosted += n
	}
	switch m.Proof {
	case Proven:
		out.Proven += n
	case Judged:
		out.Judged += n
	case Unproven:
		out.Unproven += n
	case Disputed:
		out.Disputed += n
	}
	return out
}

// contest records a contest of a result. Alone it changes no result: only one that a guest reported becomes disputed.
func (r *rounds) contest(e Contested) error {
	m := r.Matches[e.Match]
	if m == nil || m.Outcome == nil {
		return fmt.Errorf("match %q was contested, which has no result", e.Match)
	}
	m = r.renew(m)
	m.Against = append(m.Against, e)
	r.basis = counted(r.basis, m, -1)
	if m.Proof == Unproven {
		m.Proof = Disputed
	}
	r.basis = counted(r.basis, m, 1)
	return nil
}

// renew puts a copy in the place of a match that has its result, which may be another state's as well.
func (r *rounds) renew(m *Match) *Match {
	own := *m
	own.Against, own.Assigned = slices.Clone(m.Against), slices.Clone(m.Assigned)
	for _, list := range [][]*Match{r.byRound[m.Round-1], r.walked[m.Round-1], r.of[m.A], r.of[m.B], r.newest, r.told,
		r.moved, r.again} {
		if i := slices.Index(list, m); i >= 0 {
			list[i] = &own
		}
	}
	r.Matches[m.ID] = &own
	return &own
}

// annul strikes a result. A match of a round that is closed is played beside the open one.
func (r *rounds) annul(e Annulled) error {
	m := r.Matches[e.Match]
	if m == nil || m.Outcome == nil {
		return fmt.Errorf("match %q was annulled, which has no result", e.Match)
	}
	m = r.renew(m)
	r.basis = counted(r.basis, m, -1)
	m.Outcome, m.Proof, m.Hosted, m.Against = nil, "", false, nil
	m.Annulled++
	r.annulled++
	m.void = len(m.Assigned)
	r.Recorded--
	same := func(other *Match) bool { return other == m }
	r.newest, r.told = slices.DeleteFunc(r.newest, same), slices.DeleteFunc(r.told, same)
	r.walked[m.Round-1] = slices.DeleteFunc(r.walked[m.Round-1], same)
	if r.RoundOpen && m.Round == r.Round {
		r.left++
	} else {
		r.again = append(r.again, m)
		r.sumAnew(m)
	}
	return nil
}

// HostedLabel marks a result with a player that runs in the manager's process. It is shown beside the basis.
const HostedLabel = "hosted"

// HostedWords explains the label.
const HostedWords = "A player of this match runs in the manager's process: the organiser has its key."

// ProofWords explains the basis of a result in a sentence; "" for an unknown proof.
func ProofWords(proof string) string {
	switch proof {
	case Proven:
		return "Both players signed their moves, and the draw follows from the league's secret."
	case Judged:
		return "The organiser's referee reported it: a player does not sign its moves, or one forfeited."
	case Unproven:
		return "Only a guest referee reported it."
	case Disputed:
		return "Only a guest referee reported it, and someone disputes it."
	}
	return ""
}
