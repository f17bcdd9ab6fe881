package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/store"
)

// withManager adds the flags of a command that queries a manager about one of its leagues.
func (a *app) withManager(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&a.leagueID, "league-id", "", "which of the manager's leagues (default: the one at its endpoint)")
	return a.withAnyManager(cmd)
}

// withAnyManager adds the flags of a command that queries a manager.
func (a *app) withAnyManager(cmd *cobra.Command) *cobra.Command {
	a.network.addTrust(cmd)
	return a.managedBy(cmd)
}

// usualManager is the endpoint of a manager with default settings.
const usualManager = "http://localhost:8000/mcp"

// managedBy adds the --manager flag.
func (a *app) managedBy(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&a.manager, "manager", usualManager, "the endpoint of the manager "+
		"(default: that of config/agents/agents_config.json, http://localhost:8000/mcp)")
	configured(cmd, "manager")
	return cmd
}

// client returns a client of the manager, which sends the admin token if there is one.
func (a *app) client() *client.Client {
	return &client.Client{Manager: a.manager, LeagueID: a.leagueID, Token: a.admin.token(a.root), Options: a.network.caller()}
}

// fetch downloads a file of a league from the manager.
func (a *app) fetch(ctx context.Context, leagueID, file string) ([]byte, error) {
	a.leagueID = leagueID
	var text bytes.Buffer
	err := a.client().Export(ctx, file, &text)
	return text.Bytes(), err
}

// source returns where queries are answered: by the manager or, if none answers and none was given, from the data
// directory's log.
func (a *app) source() client.Source {
	if a.asked == nil {
		a.asked = &client.Fallback{Manager: a.client()}
		if !a.chosen {
			a.asked.Log = a.past
		}
	}
	return a.asked
}

// past returns the state of the data directory's league from its log, and prints a note that no manager answers. It
// returns nil, nil if the data directory has no league.
func (a *app) past() (*league.State, error) {
	id, err := resolveLeagueID(a, os.DirFS(a.root), a.leagueID, "--league-id")
	if err != nil {
		return nil, nil
	}
	a.title = titleIn(os.DirFS(a.root), id)
	fmt.Fprintf(a.err, "No manager answers at %s; this is from the log in %s.\n", a.manager, a.root)
	return store.Fold(journal.Path(filepath.Join(a.root, "data"), id))
}

// clientAdvice returns advice for a failed query of a manager; "" if the error's text suffices.
func clientAdvice(err error) string {
	switch {
	case errors.Is(err, client.ErrNoManager):
		return "start one with `league manager`, or give its address with --manager"
	case errors.Is(err, client.ErrToken):
		return "give --admin-token-file, set LEAGUE_ADMIN_TOKEN, or run this with the manager's folder as --root"
	case errors.Is(err, client.ErrTooOften):
		return "wait a moment, or change security.open_requests_per_second_per_address in its config/system.json"
	}
	return ""
}
