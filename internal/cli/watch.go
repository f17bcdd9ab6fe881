package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/internal/cli/show"
	"agentleague/internal/cli/usage"
	"agentleague/internal/term"
	"agentleague/protocol"
)

// watchCommand is `league watch`. It polls the manager until the league is over.
func watchCommand(a *app) *cobra.Command {
	var every time.Duration
	cmd := &cobra.Command{Use: "watch", Short: "Show the table of a running league until it is over",
		Example: "  league watch\n  league watch --every 2s --manager http://localhost:8000/mcp"}
	cmd.Flags().DurationVar(&every, "every", 500*time.Millisecond, "how often to update the table")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if every <= 0 {
			return usage.Wrong("--every: want a time above 0, got %v", every)
		}
		return followLeague(cmd.Context(), a, every)
	}
	a.admin.add(cmd)
	return a.withManager(cmd)
}

// followLeague polls the manager for the table. A terminal shows it in place; other output gets a line per round.
func followLeague(ctx context.Context, a *app, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	screen := &term.Screen{W: a.err}
	heard := -1 // orders; earlier ones are not shown
	for {
		league, s, table, err := lookAt(ctx, a)
		if err != nil {
			return err
		}
		screen.Title = cmp.Or(term.Brief(s.DisplayName), league)
		if heard, err = hearOrders(ctx, a, screen, heard); err != nil {
			return err
		}
		if !a.json {
			screen.Show(s, table.Standings)
		}
		if protocol.IsOver(s.State) {
			screen.Clear()
			if a.json {
				return a.print(map[string]any{"league_id": league, "state": s.State, "round": s.CurrentRound, "standings": table.Standings, "ranks": table.Ranks})
			}
			term.PrintTable(a.out, table.Standings, table.Shared())
			if words := show.BasisWords(s.Results); words != "" {
				fmt.Fprintln(a.out, words)
			}
			switch {
			case s.State == protocol.LeagueIsCancelled:
				fmt.Fprintln(a.out, show.Cancelled)
			case len(table.Standings) > 0:
				fmt.Fprintf(a.out, "%s.\n", show.Champions(table.Standings, table.Shared()))
			}
			if s.Seal != "" {
				fmt.Fprintln(a.err, show.SealWords(s.Seal, s.LogHead, a.whichLeague(league)))
			}
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			screen.Clear()
			return nil
		}
	}
}

// hearOrders prints the orders after the first heard ones and returns their new number. A negative heard prints none.
// Without an admin token it does nothing.
func hearOrders(ctx context.Context, a *app, screen *term.Screen, heard int) (int, error) {
	if a.admin.token(a.root) == "" {
		return heard, nil
	}
	d, err := client.Who(ctx, a.source())
	if err != nil {
		return heard, err
	}
	if heard >= 0 && heard < len(d.Orders) {
		screen.Clear()
		for _, o := range d.Orders[heard:] {
			fmt.Fprintln(a.err, show.Order(o))
		}
	}
	return len(d.Orders), nil
}

// lookAt asks how the league stands.
func lookAt(ctx context.Context, a *app) (league string, s protocol.LeagueStatus, table client.Table, err error) {
	league, s, err = client.Status(ctx, a.client())
	if err != nil {
		return "", s, table, err
	}
	table, err = client.Standings(ctx, a.client())
	return league, s, table, err
}
