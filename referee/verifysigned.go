package referee

import (
	"fmt"
	"maps"
	"slices"

	"agentleague/protocol"
)

// During a replay, the signed answers of a turn are compared with the moves: the last answer is the move, the answers
// before it were illegal.

// CheckSigned returns an error unless the signed answers of a record are valid under the players' public keys and
// complete: each move of a player with a key must be signed, and so must an illegal move by which it forfeited. seal is
// the league's seal. [VerifyRecord] checks that the answers match the moves.
func CheckSigned(rec *protocol.MatchRecord, keys map[string]string, seal string) error {
	for _, id := range slices.Sorted(maps.Keys(rec.Signed)) {
		if keys[id] == "" {
			return fmt.Errorf("signed.%s: this player has no key in the league", id)
		}
	}
	for _, id := range []string{rec.PlayerAID, rec.PlayerBID} {
		if keys[id] == "" {
			continue
		}
		said, there := rec.Signed[id]
		if !there {
			if why := needsSignature(rec, id); why != "" {
				return fmt.Errorf("signed.%s: missing, although %s", id, why)
			}
			continue
		}
		b := protocol.AnswerContext{
			Seal: seal, Match: rec.MatchID, Attempt: rec.Attempt, Referee: rec.RefereeID, Player: id,
			Commitment: rec.Fairness.Commitment,
		}
		if err := said.Check(b, keys[id]); err != nil {
			return fmt.Errorf("signed.%s: %w", id, err)
		}
	}
	return nil
}

// needsSignature returns the act, for an error, that a player must have signed, or "" if there is none.
func needsSignature(rec *protocol.MatchRecord, id string) string {
	for _, mv := range rec.Moves {
		if mv.PlayerID == id {
			return fmt.Sprintf("it moved %s in turn %d", protocol.MoveText(mv.Move), mv.Turn)
		}
	}
	if rec.Result.Forfeits[id] == protocol.InvalidMove.Code {
		return "it forfeited by an illegal move"
	}
	return ""
}
