package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/player"
)

// An agentFlags is what referees and players are started with, as it was typed.
type agentFlags struct {
	host.Agent
	joinKeyFile string // of an invitation; it counts before the environment
	secretFile  string // of a referee: a copy of the referee secret of the manager's root
}

// agent is what is meant by the flags.
func (f agentFlags) agent() (host.Agent, error) {
	key, err := f.readJoinKey()
	f.JoinKey = key
	return f.Agent, err
}

// strategyNamed returns the built-in strategy of a flag.
func strategyNamed(name string) (player.Strategy, error) {
	mind, err := host.Strategy(name)
	if err != nil {
		return nil, wrongUsage("--strategy: want random, alternate or history, got %q", name)
	}
	return mind, nil
}

// joinKeyVariable is where an agent looks for the join key of its invitation.
const joinKeyVariable = "LEAGUE_JOIN_KEY"

// readJoinKey returns the join key of an invitation, or "". It is read from a file or the environment: a flag could be
// read by everybody on the machine.
func (f agentFlags) readJoinKey() (string, error) {
	if f.joinKeyFile == "" {
		return f.JoinKey, nil
	}
	text, err := os.ReadFile(f.joinKeyFile)
	if err != nil {
		return "", fmt.Errorf("--join-key-file: %w", err)
	}
	key := strings.TrimSpace(string(text))
	if key == "" || strings.ContainsAny(key, " \t\r\n") {
		return "", errors.New("--join-key-file: " + f.joinKeyFile + ": want one key and nothing else")
	}
	return key, nil
}

// refereeSecret returns what a file holds that was copied from the manager's
// root, or nil for no file.
func (f agentFlags) refereeSecret() ([]byte, error) {
	if f.secretFile == "" {
		return nil, nil
	}
	b, err := journal.ReadSecret(f.secretFile)
	if err != nil {
		return nil, fmt.Errorf("--referee-secret: %w; copy data/secrets/%s from the manager's root", err, host.SecretName)
	}
	return b, nil
}
