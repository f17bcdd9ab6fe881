package referee

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"agentleague/game"
	"agentleague/protocol"
)

// parseKey reads the draw key of a match.
func parseKey(field, text string) ([]byte, error) {
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != sha256.Size {
		return nil, fmt.Errorf("%s: want %d hexadecimal digits", field, 2*sha256.Size)
	}
	return key, nil
}

// drawOf returns the draw key of an order and the commitment to that key. The key is nil if the manager keeps the key
// and draws itself.
func drawOf(rules game.Game, start *protocol.StartMatch) (key []byte, commitment string, err error) {
	if start.DrawKey == "" && start.DrawCommitment != "" {
		switch {
		case !isHash(start.DrawCommitment):
			return nil, "", errors.New("draw_commitment: want 64 hexadecimal digits")
		case !rules.Info().GuestsMayJudge:
			return nil, "",
				fmt.Errorf("draw_key: missing, but %s draws before the last move; give this match to a referee of the organiser",
					rules.Info().Type)
		}
		return nil, start.DrawCommitment, nil
	}
	if key, err = parseKey("draw_key", start.DrawKey); err != nil {
		return nil, "", err
	}
	commitment = protocol.KeyCommitment(key)
	if start.DrawCommitment != "" && start.DrawCommitment != commitment {
		return nil, "", errors.New("draw_commitment: it is not of the draw key")
	}
	return key, commitment, nil
}

// isHash reports whether a text is a SHA-256 hash in hex, the form of commitments and of heads of a log.
func isHash(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(text) == 2*sha256.Size
}
