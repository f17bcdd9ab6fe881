package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/config"
	"agentleague/internal/cli/show"
	"agentleague/internal/cli/usage"
	"agentleague/internal/term"
	"agentleague/league/seasons"
	"agentleague/protocol"
	"agentleague/store"
)

// seasonsCommand is `league seasons`. Without an argument it shows the seasons, with N it sets their number.
func seasonsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "seasons [N]", Short: "Show all seasons of a league added up, or say how many it has",
		Example: "  league seasons\n  league seasons --of autumn --json\n  league seasons --of autumn 5    and the " +
			"same agents play on until there are 5"}
	cmd.Flags().StringVar(&a.leagueID, "of", "", "the league, by the id of any of its seasons (default: the one at "+
		"the manager's endpoint)")
	a.admin.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return showSeasons(cmd.Context(), a)
		}
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 1 || n > config.MaxSeasons {
			return usage.Wrong("N: want a number of seasons, 1 to %d, got %q", config.MaxSeasons, args[0])
		}
		order := &protocol.SetSeasons{Envelope: protocol.Envelope{MessageType: protocol.TypeSetSeasons}, Seasons: n}
		err = orders{a}.give(cmd.Context(), order, fmt.Sprintf("the league has %s in all", term.Count(n, "season")))
		if errors.Is(err, client.ErrNoManager) && !a.chosen {
			return planSeasons(a, n, err)
		}
		return err
	}
	return a.withAnyManager(cmd)
}

// planSeasons stores the number of seasons in the data directory when no manager answers; the next manager plays them.
// It returns the error otherwise if the data directory has no such league.
func planSeasons(a *app, n int, otherwise error) error {
	if _, err := os.Stat(filepath.Join(a.root, "data")); err != nil {
		return otherwise
	}
	h, err := a.open(a.leagueID)
	if err != nil {
		return err
	}
	if !h.Leagues().Has(h.League.LeagueID) {
		return otherwise
	}
	f := leagueFlags{seasons: n}
	if err := f.plan(h, "league seasons"); err != nil {
		return err
	}
	a.say(map[string]any{"league_id": h.League.FirstSeason(), "seasons": n}, "the league has %s in all", term.Count(n, "season"))
	fmt.Fprintf(a.err, "No manager answers at %s; start it: `league manager%s`.\n", a.manager, managerFlags(a, h))
	return nil
}

// showSeasons prints the total of all seasons, from the manager or, if none answers, from the logs of the data
// directory.
func showSeasons(ctx context.Context, a *app) error {
	s, err := a.client().Seasons(ctx)
	if errors.Is(err, client.ErrNoManager) && !a.chosen {
		s, err = pastSeasons(a, err)
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.print(s)
	}
	show.Seasons(a.out, s)
	return nil
}

// pastSeasons returns the seasons from the logs of the root, or the error otherwise if the root has no such league.
func pastSeasons(a *app, otherwise error) (seasons.Series, error) {
	if _, err := os.Stat(filepath.Join(a.root, "data")); err != nil {
		return seasons.Series{}, otherwise
	}
	h, err := a.open(a.leagueID)
	if err != nil {
		return seasons.Series{}, err
	}
	id := h.League.LeagueID
	if !h.Leagues().Has(id) {
		return seasons.Series{}, otherwise
	}
	fmt.Fprintf(a.err, "No manager answers at %s; this is from the logs in %s.\n", a.manager, a.root)
	return store.Seasons(h.Root, id, store.ReadSeason(h.Root))
}
