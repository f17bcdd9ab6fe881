package league

import (
	"encoding/hex"
	"errors"

	"agentleague/protocol"
)

// drawSecretSize is the length of the secret of all draws in bytes.
const drawSecretSize = 32

// reveal checks the secret of all draws, in hex, against the commitment that was published before registration.
func (a *Audit) reveal(text string) {
	created := a.State.Created
	secret, err := hex.DecodeString(text)
	if err == nil && len(secret) != drawSecretSize {
		err = errors.New("wrong length")
	}
	if got := protocol.DrawCommitment(created.LeagueID, secret); err != nil || got != created.DrawCommitment {
		a.find(a.Lines, "draw_secret", "the secret whose commitment is "+created.DrawCommitment, text)
		return
	}
	a.secret = secret
}

// settleDraws derives the draw key of every match from the revealed secret, and compares it with the key in the log.
func (a *Audit) settleDraws() {
	if a.secret == nil {
		return
	}
	a.settlePairings()
	for round := 1; round <= a.State.Round; round++ {
		for _, m := range a.State.InRound(round) {
			if want, _ := a.DrawKey(m); a.Provable(m) && m.Outcome.DrawKey != want {
				a.find(a.Line[m.ID], m.ID+".draw_key", want, m.Outcome.DrawKey)
			}
		}
	}
}

// Provable reports whether draws of a match can be proven. That requires a referee that is this program, in any
// version.
func (a *Audit) Provable(m *Match) bool {
	return m.Outcome != nil && m.Outcome.Attempt != 0 && a.State.Agents[m.Outcome.Referee].Ours()
}

// DrawKey derives a match's draw key from the secret. ok is false until the league reveals the secret at its end.
func (a *Audit) DrawKey(m *Match) (key string, ok bool) { return a.drawKey(m, m.DrawName()) }

// drawKey is DrawKey for a match under the given name, see [Match.DrawName].
func (a *Audit) drawKey(m *Match, name string) (key string, ok bool) {
	if a.secret == nil {
		return "", false
	}
	s := a.State
	return hex.EncodeToString(s.DrawKey(a.secret, m, name)), true
}
