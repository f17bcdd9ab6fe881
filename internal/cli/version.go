package cli

import (
	"cmp"
	"fmt"

	"agentleague/host"

	"github.com/spf13/cobra"
)

// versionCommand is `league version`.
func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Show the version of this program",
		Example: "  league version\n  league version --json",
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.print(map[string]string{"version": host.Version(), "commit": host.BuildCommit(), "protocol": "league.v2"})
			}
			fmt.Fprintf(a.out, "league %s, commit %s, protocol league.v2\n", host.Version(), cmp.Or(host.BuildCommit(), "unknown"))
			return nil
		}}
}
