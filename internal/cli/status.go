package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/internal/cli/show"
	"agentleague/league/seasons"
)

// statusCommand is `league status`. With the admin token it also shows the addresses of agents.
func statusCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "status", Short: "Show how the league stands and who is in it", Example: "  league status\n  league status --json --manager http://localhost:8000/mcp",
		RunE: func(cmd *cobra.Command, _ []string) error { return showStatus(cmd.Context(), a) }}
	a.admin.add(cmd)
	return a.withManager(cmd)
}

// showStatus prints the state of the league. Only the admin sees its agents and their addresses.
func showStatus(ctx context.Context, a *app) error {
	id, now, err := client.Status(ctx, a.source())
	if err != nil {
		return err
	}
	now.DisplayName = cmp.Or(now.DisplayName, a.title)
	var who client.Directory
	if a.admin.token(a.root) != "" {
		who, err = client.Who(ctx, a.source())
		if err != nil && (!errors.Is(err, client.ErrToken) || a.admin.given()) {
			return err // the data directory's own token may be that of another manager
		}
	}
	season, of := a.season(ctx, id)
	if a.json {
		out := show.StatusObject(id, now, who)
		if of > 1 {
			out["season"], out["seasons"] = season, of
		}
		return a.print(out)
	}
	show.Status(a.out, id, a.whichLeague(id), now, who)
	if of > 1 {
		fmt.Fprintf(a.out, "This is season %d of %d; `league seasons` adds them up.\n", season, of)
	}
	return nil
}

// season returns the number of a league's season and the planned number of seasons; 1, 1 if the manager does not
// answer.
func (a *app) season(ctx context.Context, id string) (number, of int) {
	all, err := a.client().Seasons(ctx)
	if err != nil {
		return 1, 1
	}
	return 1 + max(0, slices.IndexFunc(all.Seasons, func(s seasons.Season) bool { return s.LeagueID == id })), all.Wanted
}
