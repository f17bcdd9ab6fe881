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

// flagValues are the completions of a flag's value, by its name.
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

// gameTypes are the built-in games, without those of a root.
func gameTypes() (out []string) {
	for _, g := range catalog.All() {
		out = append(out, g.Info().Type)
	}
	return out
}

// strategyNames are the strategies, with descriptions.
func strategyNames() (out []string) {
	for _, m := range host.Minds() {
		out = append(out, m.Spec()+"\t"+m.About)
	}
	return out
}

// botNames are the strategies that a manager runs for clients.
func botNames() (out []string) {
	for _, m := range host.Bots("") {
		out = append(out, m.Name+"\t"+m.About)
	}
	return out
}

// completeValues has the shell offer the values of flags, and the players and
// matches of the league that a verb asks about.
func (a *app) completeValues(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if values := flagValues[f.Name]; values != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(values(), cobra.ShellCompDirectiveNoFileComp))
		}
	})
	if words := strings.Fields(cmd.Use); len(words) > 1 {
		if offer := a.offers()[words[1]]; offer != nil {
			cmd.ValidArgsFunction = func(
				_ *cobra.Command, args []string, begun string,
			) ([]string, cobra.ShellCompDirective) {
				a.err = io.Discard // a shell would show it in the middle of a line
				return offered(offer, args, begun)
			}
		}
	}
	for _, below := range cmd.Commands() {
		a.completeValues(below)
	}
}

// offers are the completions of the first word after a verb, by its name in the usage line.
func (a *app) offers() map[string]func(context.Context) []string {
	return map[string]func(context.Context) []string{
		"PLAYER": a.offerPlayers, "AGENT": a.offerPlayers, "MATCH": a.offerMatches,
	}
}

// offered queries the manager or the log, with a timeout suitable for a shell.
func offered(offer func(context.Context) []string, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	out := slices.DeleteFunc(offer(ctx), func(word string) bool { return !strings.HasPrefix(word, begun) })
	return out, cobra.ShellCompDirectiveNoFileComp
}

// offerPlayers are the players of the league with their names, as shells show them. A completion prints no errors:
// they would end up in the line that is being typed.
func (a *app) offerPlayers(ctx context.Context) (out []string) {
	table, err := client.Standings(ctx, a.source())
	if err != nil {
		return nil
	}
	for _, row := range table.Standings {
		out = append(out, row.PlayerID+"\t"+row.DisplayName)
	}
	slices.Sort(out)
	return out
}

// offerMatches are the matches with their players.
func (a *app) offerMatches(ctx context.Context) (out []string) {
	for part, err := range client.Schedule(ctx, a.source()) {
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
