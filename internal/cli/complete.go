package cli

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentleague/client"
	"agentleague/game/catalog"
	"agentleague/host"
	"agentleague/internal/kit"
	"agentleague/protocol"
)

// flagValues lists the completions of a flag's value, by the name of the flag.
var flagValues = map[string]func() []string{
	"game":      gameTypes,
	"strategy":  strategyNames,
	"bots":      botNames,
	"fallback":  botNames,
	"log-level": func() []string { return []string{"debug", "info", "warn", "error"} },
	"lang":      kit.Languages,
	"role": func() []string {
		return []string{string(protocol.RolePlayer), string(protocol.RoleReferee), "manager"}
	},
}

// gameTypes returns the built-in games. It omits the games that a data directory adds.
func gameTypes() (out []string) {
	for _, g := range catalog.All() {
		out = append(out, g.Info().Type)
	}
	return out
}

// strategyNames returns the strategies as completions, with descriptions.
func strategyNames() (out []string) {
	for _, m := range host.Minds() {
		out = append(out, m.Spec()+"\t"+m.About)
	}
	return out
}

// botNames returns the strategies of the built-in players that a manager can run.
func botNames() (out []string) {
	for _, m := range host.Bots("") {
		out = append(out, m.Name+"\t"+m.About)
	}
	return out
}

// A completion offers words to a shell.
type completion struct{ app *app }

// values registers the shell completions of a command: the values of its flags, and the players and matches of its
// league.
func (c completion) values(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if words := flagValues[f.Name]; words != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(words(), cobra.ShellCompDirectiveNoFileComp))
		}
	})
	if words := strings.Fields(cmd.Use); len(words) > 1 {
		if offer := c.argumentCompletions()[words[1]]; offer != nil {
			cmd.ValidArgsFunction = func(
				_ *cobra.Command, args []string, begun string,
			) ([]string, cobra.ShellCompDirective) {
				c.app.err = io.Discard // a shell would show it in the middle of a line
				return offered(offer, args, begun)
			}
		}
	}
	for _, below := range cmd.Commands() {
		c.values(below)
	}
}

// argumentCompletions returns the completions of a command's first argument, by the argument's name in the usage line.
func (c completion) argumentCompletions() map[string]func(context.Context) []string {
	return map[string]func(context.Context) []string{
		"PLAYER": c.players, "AGENT": c.players, "MATCH": c.matches,
	}
}

// offered returns the completions that begin with begun. It gives offer a timeout suitable for a shell, and completes
// only the first argument.
func offered(offer func(context.Context) []string, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	out := slices.DeleteFunc(offer(ctx), func(word string) bool { return !strings.HasPrefix(word, begun) })
	return out, cobra.ShellCompDirectiveNoFileComp
}

// players returns the ids of the league's players with their names as descriptions. A failure yields no completions: an
// error message would be printed into the line that is being typed.
func (c completion) players(ctx context.Context) (out []string) {
	table, err := client.Standings(ctx, c.app.source())
	if err != nil {
		return nil
	}
	for _, row := range table.Standings {
		out = append(out, row.PlayerID+"\t"+row.DisplayName)
	}
	slices.Sort(out)
	return out
}

// matches are the matches with their players.
func (c completion) matches(ctx context.Context) (out []string) {
	for part, err := range client.Schedule(ctx, c.app.source()) {
		if err != nil {
			return nil
		}
		for _, round := range part.Schedule {
			for _, m := range round.Matches {
				out = append(out, m.MatchID+"\t"+m.PlayerAID+" - "+m.PlayerBID)
			}
		}
	}
	return out
}
