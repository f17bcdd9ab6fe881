package league

import (
	"fmt"
	"slices"

	"agentleague/protocol"
)

// The bases of a result: how far its correctness is proven.
const (
	Proven   = "proven"   // both players signed their moves, and the draw follows from the league's secret
	Judged   = "judged"   // it is the word of the organiser's referee, where not both have signed
	Unproven = "unproven" // it is the word of a guest referee
	Disputed = "disputed" // it is a guest referee's, and a player or another referee contests it
)

// restsOn returns on what an uncontested result is based: proven by signatures, judged by a trusted referee, or
// unproven.
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

// Basis returns the numbers of results that are proven, judged, unproven and disputed.
func (r *rounds) Basis() protocol.Basis { return r.basis }

// counted returns the counts out plus n for the basis of match m, if it has a result. To change a match, call it with n
// = -1 before the change and with n = 1 after.
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

// contest records a contest of a result. It does not change the result, but an unproven result becomes disputed.
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

// renew replaces a match that has a result by a copy, which the caller may change, and returns the copy. Clones of the
// state may share the original.
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

// annul removes the result of a match, so that the match is played again: during the open round if its own is closed.
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

// HostedLabel marks a result with a player that runs in the manager's process. It is shown next to the basis.
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
