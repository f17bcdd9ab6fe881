package cli

import (
	"fmt"

	"agentleague/engine/journal"
)

// secretName is the root's referee secret: who has it is the organiser's referee.
const secretName = "referee"

// refereeSecret returns the root's referee secret, or the one in a file that was
// copied from the manager's machine.
func (h *house) refereeSecret(file string) ([]byte, error) {
	if file == "" {
		return journal.SharedSecret(h.dataDir(), secretName)
	}
	b, err := journal.ReadSecret(file)
	if err != nil {
		return nil, fmt.Errorf("--referee-secret: %w; copy data/secrets/%s from the manager's root", err, secretName)
	}
	return b, nil
}
