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
func restsOn(s *State, m *Match, e *ResultRecorded, beside aside) string {
	signed := func(player string) bool { return beside.signedBy(e, player) && s.Agents[player].Native() }
	ref := s.Agents[e.Referee]
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
func (s *State) Basis() protocol.Basis { return s.basis }

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
func (s *State) contest(e Contested) error {
	m := s.Matches[e.Match]
	if m == nil || m.Outcome == nil {
		return fmt.Errorf("match %q was contested, which has no result", e.Match)
	}
	m = s.renew(m)
	m.Against = append(m.Against, e)
	s.basis = counted(s.basis, m, -1)
	if m.Proof == Unproven {
		m.Proof = Disputed
	}
	s.basis = counted(s.basis, m, 1)
	return nil
}

// renew puts a copy in the place of a match that has its result, which may be another state's as well.
func (s *State) renew(m *Match) *Match {
	own := *m
	own.Against, own.Assigned = slices.Clone(m.Against), slices.Clone(m.Assigned)
	for _, list := range [][]*Match{s.rounds[m.Round-1], s.walked[m.Round-1], s.of[m.A], s.of[m.B], s.newest, s.told,
		s.moved, s.again} {
		if i := slices.Index(list, m); i >= 0 {
			list[i] = &own
		}
	}
	s.Matches[m.ID] = &own
	return &own
}

// Contest returns the event that contests a result; none if the same agent has already contested that attempt, or the
// league is over.
func Contest(s *State, e Contested) []Event {
	m := s.Matches[e.Match]
	known := func(c Contested) bool { return c.By == e.By && c.Attempt == e.Attempt }
	if m == nil || m.Outcome == nil || s.Completed() || slices.ContainsFunc(m.Against, known) {
		return nil
	}
	e.Detail = ClipTo(protocol.Plain(e.Detail), 500)
	return []Event{e}
}

// annul strikes a result. A match of a round that is closed is played beside the open one.
func (s *State) annul(e Annulled) error {
	m := s.Matches[e.Match]
	if m == nil || m.Outcome == nil || s.Completed() {
		return fmt.Errorf("match %q was annulled, which has no result or is in a league that is over", e.Match)
	}
	m = s.renew(m)
	s.basis = counted(s.basis, m, -1)
	m.Outcome, m.Proof, m.Hosted, m.Against = nil, "", false, nil
	m.Annulled++
	s.annulled++
	m.void = len(m.Assigned)
	s.Recorded--
	same := func(other *Match) bool { return other == m }
	s.newest, s.told = slices.DeleteFunc(s.newest, same), slices.DeleteFunc(s.told, same)
	s.walked[m.Round-1] = slices.DeleteFunc(s.walked[m.Round-1], same)
	if s.RoundOpen && m.Round == s.Round {
		s.left++
	} else {
		s.again = append(s.again, m)
		s.sumAnew(m)
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
