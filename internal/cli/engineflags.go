package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/engine/engines"
	"agentleague/internal/cli/usage"
)

// engineVariable is the environment variable for the engine. An address with a password belongs there: all users of
// the machine can read a command line.
const engineVariable = "LEAGUE_ENGINE"

// engineFlags are the flags that choose an engine.
type engineFlags struct {
	at       string
	insecure bool
}

// add adds the flags to a command, with an explanation of NATS.
func (f *engineFlags) add(cmd *cobra.Command, purpose string) {
	cmd.Flags().StringVar(&f.at, "engine", "", "what logs and secrets are kept in: "+strings.Join(engines.Examples(), ", or ")+
		purpose+" (default: "+engineVariable+", journal)")
	cmd.Flags().BoolVar(&f.insecure, "insecure-nats", false, "use NATS servers of other machines without credentials, in a network "+
		"that only managers can reach")
}

// parse returns the engine that --engine selects, or else LEAGUE_ENGINE. An invalid value is a usage error.
func (f *engineFlags) parse() (engines.Choice, error) {
	choice, err := engines.Parse(cmp.Or(f.at, os.Getenv(engineVariable)), engines.Options{InsecureNATS: f.insecure})
	if errors.Is(err, engines.ErrNoCredentials) {
		err = fmt.Errorf("%w, or allow it with --insecure-nats where only managers can reach the servers", err)
	}
	if err != nil && f.at == "" {
		return choice, usage.Wrong("%s: %w", engineVariable, err)
	}
	if err != nil {
		return choice, usage.Wrong("--engine: %w", err)
	}
	return choice, nil
}
