package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/internal/term"
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
		return nil, wrongUsage("--strategy: use random, alternate or history, got %q", name)
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
		return "", fmt.Errorf("--join-key-file: %w; give a file that holds the key of your invitation", err)
	}
	key := strings.TrimSpace(string(text))
	if key == "" || strings.ContainsAny(key, " \t\r\n") {
		return "", errors.New("--join-key-file: " + f.joinKeyFile + ": it must hold one key and nothing else")
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

// agentFlags are the flags of referees and players. Without a name an agent is called after the id that
// it asks for, or its port, or its process.
func (a *app) agentFlags(cmd *cobra.Command, f *agentFlags, port int, kind string) {
	cmd.Flags().IntVar(&f.Port, "port", port, "the port to listen on; 0 takes a free one")
	cmd.Flags().StringVar(&f.Name, "name", "", "the name in the table (default: made from its id, port or process)")
	cmd.Flags().StringVar(&f.ID, "id", "", "the id to ask for")
	cmd.Flags().StringVar(&f.LeagueID, "league-id", "", "the league to join (default: the manager's own)")
	cmd.Flags().StringVar(&f.joinKeyFile, "join-key-file", "", "a file with the join key of an invitation (default: LEAGUE_JOIN_KEY, if it is set)")
	cmd.Flags().BoolVar(&f.Strict, "strict", false, "refuse messages with an incomplete envelope")
	a.netFlags(cmd)
	cmd.PreRun = func(*cobra.Command, []string) {
		f.JoinKey = os.Getenv(joinKeyVariable)
		if f.Name == "" {
			f.Name = fmt.Sprintf("%s %s", kind, cmp.Or(f.ID, fmt.Sprint(cmp.Or(f.Port, os.Getpid()))))
		}
		if !a.json {
			f.Listening = func(url string) { fmt.Fprintf(a.err, "%s listens at %s\n", f.Name, url) }
		}
	}
}

// joined tells that an agent is in the league, and where it is.
func (a *app) joined(name string) func(id, at string) {
	return func(id, at string) {
		a.say(map[string]any{"name": name, "id": id, "endpoint": at, "manager": a.manager},
			"%s is %s at %s, registered with %s", name, term.Brief(id), at, a.manager)
	}
}
