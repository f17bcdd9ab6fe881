package league

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"agentleague/protocol"
)

// The functions below verify the signatures of native players. A player signs its answers in a match together with a
// published hash of the log. That the answers lead to the result is checked by the rules of the game, in another
// package.

// Unsigned returns the id of a native player that has moves or an illegal answer in a report but no signature, or "".
func Unsigned(
	s *State, m *Match, moves []Moved, forfeits map[string]string, signed map[string]protocol.SignedAnswers,
) string {
	for _, id := range []string{m.A, m.B} {
		if _, ok := signed[id]; ok || !s.Agents[id].Native() {
			continue
		}
		moved := slices.ContainsFunc(moves, func(mv Moved) bool { return mv.PlayerID == id })
		if moved || forfeits[id] == protocol.InvalidMove.Code {
			return id
		}
	}
	return ""
}

// CheckSigned returns an error unless all signatures in signed, keyed by player, are valid. Each must be of a
// player of the match, and cover its answers, the attempt, the commitment to the draw, and only published heads of
// this league's log.
func CheckSigned(
	s *State, m *Match, at MatchAssigned, commitment string, signed map[string]protocol.SignedAnswers,
) error {
	for _, id := range slices.Sorted(maps.Keys(signed)) {
		a, answers := s.Agents[id], signed[id]
		if a == nil || !a.Native() || id != m.A && id != m.B {
			return fmt.Errorf("signed: %q is no native player of %s", Clip(id), m.ID)
		}
		if answers.Head != "" && !hasHead(s, answers.Head) {
			return fmt.Errorf("signed: %s knows a past that is not this league's: no line of its log has the hash %s",
				id, Clip(answers.Head))
		}
		b := protocol.AnswerContext{Seal: s.Seal, Match: m.ID, Attempt: at.Attempt, Referee: at.Referee, Player: id,
			Commitment: commitment}
		if err := answers.Check(b, a.Key); err != nil {
			return err
		}
	}
	return nil
}

// hasHead reports whether a hash is one of the published heads of the league's log.
func hasHead(s *State, hash string) bool {
	return slices.ContainsFunc(s.Heads, func(h Head) bool { return h.Hash == hash })
}

// Commitment returns the commitment to a draw key, both in hex, or "" if the key is not hex.
func Commitment(key string) string {
	b, err := hex.DecodeString(key)
	if err != nil {
		return ""
	}
	return protocol.KeyCommitment(b)
}

// CheckFinalSignature returns an error unless a player of the league validly signed head, and head is the hash of
// the line that ends the log.
func (s *State) CheckFinalSignature(player, head, signature string) error {
	a, end := s.Agents[player], s.Head()
	switch {
	case a == nil || a.Role != protocol.RolePlayer || !a.Native():
		return fmt.Errorf("%q is not a player that signs", Clip(player))
	case end.What != "completed" && end.What != "cancelled":
		return errors.New("the league is not over")
	case head != end.Hash:
		return fmt.Errorf("%s signed another end of the league: head %s, not %s", player, cmp.Or(Clip(head), "missing"), end.Hash)
	}
	return protocol.CheckSignature(a.Key, protocol.FinalSignatureText(s.Seal, player, head), signature)
}

// Terms identify the parties of a token agreement between native agents and the manager.
type Terms struct{ League, Seal, ManagerKey string }

// TermsOf returns the terms that the agents of a league sign.
func TermsOf(s *State) Terms { return Terms{s.Created.LeagueID, s.Seal, s.ManagerKey} }

// Challenge reconstructs, from the logged registration e, the challenge that the native agent signed.
func (t Terms) Challenge(e Registered) protocol.Challenge {
	c := protocol.Challenge{
		Seal: t.Seal, ManagerKey: t.ManagerKey, Role: e.Role, ID: e.ID, Epoch: e.Generation, Endpoint: e.Endpoint,
		AgreementKey: e.AgreementKey,
	}
	if w := e.Welcome; w != nil {
		c.Manager, c.Nonce, c.AgentNonce = w.Manager, w.Challenge, w.Nonce
	}
	return c
}

// Agreement returns the parameters from which the token of the native agent with registration e is derived.
func (t Terms) Agreement(e Registered) protocol.Agreement {
	return protocol.Agreement{
		League: t.League, Seal: t.Seal, Role: e.Role, ID: e.ID, Epoch: e.Generation, ManagerKey: t.ManagerKey,
		PublicKey: e.Key, AgreementKey: e.AgreementKey,
	}
}
