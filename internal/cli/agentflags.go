package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentleague/config"
	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/internal/cli/usage"
	"agentleague/internal/term"
	"agentleague/player"
	"agentleague/protocol"
)

// An agentFlags is the typed configuration of referees and players.
type agentFlags struct {
	host.Agent
	app         *app
	kind        string // the noun for agents of its verb
	joinKeyFile string // of an invitation; it counts before the environment
	idFlag      string // the flag that gave the id, if it is not --id
	secretFile  string // of a referee: a copy of the referee secret of the manager's data directory
}

// agent converts the flags to the agent's configuration.
func (f agentFlags) agent() (host.Agent, error) {
	key, err := f.readJoinKey()
	f.JoinKey = key
	return f.Agent, err
}

// whereStrategies names the help topic for strategies.
const whereStrategies = "; see `league help strategies`"

// checkStrategies returns an error if a spec in a comma-separated list is unknown or does not play the game. An empty
// game accepts strategies of all games; an empty list is valid.
func checkStrategies(specs, game string) error {
	for _, spec := range host.SplitSpecs(specs) {
		if err := checkStrategy(spec, game); err != nil {
			return err
		}
	}
	return nil
}

// checkStrategy checks one spec as [checkStrategies] does. The settings of a language model are checked later, when the
// strategy is created.
func checkStrategy(spec, game string) error {
	if host.IsLLM(spec) {
		return nil
	}
	if _, err := host.StrategyFor(spec, game); err != nil {
		return usage.Wrong("--strategy: %w"+whereStrategies, err)
	}
	return nil
}

// strategyOr creates the strategy that spec names or, if spec is empty, that of the configuration. It also returns the
// games that the strategy plays. An empty game means that only the manager knows the game.
func (f *llmFlags) strategyOr(ctx context.Context, spec string, s config.Started, game string) (
	mind player.Strategy, plays []string, err error) {
	if spec != "" {
		if err := checkStrategy(spec, game); err != nil {
			return nil, nil, err
		}
		mind, err = f.strategy(ctx, spec, game, s.LLM)
		return mind, host.GamesOf(spec), err
	}
	if mind, err = f.strategy(ctx, s.Strategy, game, s.LLM); err != nil {
		return nil, nil, fmt.Errorf("config/defaults/player.json: strategy: %w"+whereStrategies, err)
	}
	return mind, host.GamesOf(s.Strategy), nil
}

// joinKeyVariable is the environment variable for the join key of an invitation.
const joinKeyVariable = "LEAGUE_JOIN_KEY"

// readJoinKey returns the join key of an invitation, or "". It is read from a file or the environment: all users of
// the machine could read a flag.
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

// refereeSecret returns the content of a file that was copied from the manager's data directory, or nil for no file.
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

// add adds the flags of a referee or player. Omitted values are filled in when the data directory is opened: see
// [agentFlags.start].
func (f *agentFlags) add(a *app, cmd *cobra.Command, port int, kind string) {
	f.app, f.kind = a, kind
	cmd.Flags().IntVar(&f.Port, "port", port, "the port to listen on; 0 takes a free one")
	cmd.Flags().StringVar(&f.Name, "name", "", "the name in the table (default: that of its id in "+
		"config/agents/agents_config.json, or made from its id, join key, port or process)")
	cmd.Flags().StringVar(&f.ID, "id", "", "the id to register under, such as "+protocol.AgentID(protocol.Role(cmd.Name()), 1)+"; it is an error if the id is not free. Its entry in "+
		"config/agents/agents_config.json counts where a flag is not given; also --"+cmd.Name()+"-id")
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == cmd.Name()+"-id" { // as the documents of the protocol call it
			f.idFlag, name = name, "id"
		}
		return pflag.NormalizedName(name)
	})
	cmd.Flags().StringVar(&f.LeagueID, "league-id", "", "the league to join (default: the manager's own)")
	cmd.Flags().StringVar(&f.joinKeyFile, "join-key-file", "", "a file with the join key of an invitation "+
		"(default: LEAGUE_JOIN_KEY, if it is set)")
	cmd.Flags().BoolVar(&f.Strict, "strict", false, "refuse messages that break a rule of the documents, and count broken rules")
	cmd.Flags().StringVar(&f.Profile, "profile", "", profileHelp+". Such an agent registers without a key")
	a.network.add(cmd)
	cmd.PreRun = func(*cobra.Command, []string) {
		f.JoinKey = os.Getenv(joinKeyVariable)
		if !a.json {
			f.Listening = func(url string) { fmt.Fprintf(a.err, "%s listens at %s\n", f.Name, url) }
			f.Note = func(text string) { fmt.Fprintf(a.err, "%s: %s.\n", f.Name, text) }
			f.Waiting = func(err error) {
				fmt.Fprintf(a.err, "%s waits: %s.\n", f.Name, term.Cut(whyWaiting(err, a.manager), 600))
			}
		}
	}
}

// whyWaiting explains the error of a registration that an agent repeats.
func whyWaiting(err error, manager string) string {
	var later *protocol.LaterError
	var no *protocol.Refusal
	switch {
	case errors.As(err, &later):
		return "the manager did not register it yet: " + protocol.Plain(later.Reason) + ". It keeps trying"
	case errors.As(err, &no):
		return no.Cause().Sentence("the manager at "+manager) + ". It keeps trying"
	}
	return "no manager answers at " + manager + ". It keeps trying; start one there with `league manager`"
}

// joined returns a callback that prints an agent's id and address once it is registered.
func (a *app) joined(name string) func(id, at string) {
	return func(id, at string) {
		a.say(map[string]any{"name": name, "id": id, "endpoint": at, "manager": a.manager},
			"%s is %s at %s, registered with %s", name, term.Brief(id), at, a.manager)
	}
}

// A starting is the environment of an agent that is about to start, with its entry in the configuration.
type starting struct {
	env     *host.Env
	started config.Started
}

// start opens the data directory for an agent and fills in omitted flags, from the agent's entry in the configuration
// or else from the defaults of its role. If neither has a port, it takes the first free port in the role's range.
func (f *agentFlags) start(cmd *cobra.Command, role protocol.Role) (s starting, err error) {
	a := f.app
	if err := checkProfile(f.Profile); err != nil {
		return s, err
	}
	if f.OnlyID = f.ID != ""; f.OnlyID && !protocol.ValidID(role, f.ID) {
		return s, usage.Wrong("--%s: a %s has an id such as %s or %s, got %q", cmp.Or(f.idFlag, "id"), role, protocol.AgentID(role, 1), protocol.AgentID(role, 12), f.ID)
	}
	a.network.net.Guard.Named = a.manager
	if s.env, err = a.open(f.LeagueID); err != nil {
		return s, err
	}
	find := s.env.Config().StartPlayer
	if role == protocol.RoleReferee {
		find = s.env.Config().StartReferee
	}
	if s.started, err = find(f.ID); err != nil {
		return s, err
	}
	if s.started.League != "" && unsaid(cmd, "league-id") {
		f.LeagueID = s.started.League
		if s.env, err = a.open(f.LeagueID); err != nil {
			return s, err
		}
	}
	if s.started.Host != "" && unsaid(cmd, "host") {
		a.network.net.Host = s.started.Host
	}
	if err := f.takePort(cmd, s); err != nil {
		return s, err
	}
	lasting := s.started.Port != 0 || !unsaid(cmd, "port") && f.Port != 0
	f.Name = cmp.Or(f.Name, s.started.Name, f.kind+" "+cmp.Or(f.ID, f.invited(lasting), fmt.Sprint(cmp.Or(f.Port, os.Getpid()))))
	return s, nil
}

// invited returns a part of the name of an invited agent without a lasting port, from its join key: started again, also
// after a crash, it finds its saved identity by its name.
func (f *agentFlags) invited(lasting bool) string {
	_, key, ok := strings.Cut(f.app.manager, "/k/")
	if !ok || lasting {
		return ""
	}
	return protocol.SHA256(key)[:6]
}

// takePort sets the port of an agent if the --port flag was omitted.
func (f *agentFlags) takePort(cmd *cobra.Command, s starting) (err error) {
	if !unsaid(cmd, "port") {
		return nil
	}
	if s.started.Port != 0 {
		f.Port = s.started.Port
		return nil
	}
	switch n := s.env.System.Network; f.kind {
	case "Agent":
		f.Taken, f.Port, err = f.app.network.firstFree(n.DefaultPlayerPortRange, f.kind)
	case "Referee":
		f.Taken, f.Port, err = f.app.network.firstFree(n.DefaultRefereePortRange, f.kind)
	}
	return err
}
