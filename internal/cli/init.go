package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"agentleague/host"
	"agentleague/store"
)

// initCommand is `league init`. It never overwrites existing files.
func initCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "init", Short: "Write the configuration files into --root and start nothing",
		Long: "Write the configuration files that are missing in --root, with the default values, and start nothing.\n" +
			"Files that are there stay as they are. Every command that runs agents does the same when it starts.",
		Example: "  league init\n  league init --root class --league-id spring"}
	var leagueID string
	cmd.Flags().StringVar(&leagueID, "league-id", "", "write the settings of this league too")
	cmd.RunE = func(*cobra.Command, []string) error { return writeConfiguration(a, leagueID) }
	return cmd
}

// writeConfiguration writes missing files and lists them.
func writeConfiguration(a *app, leagueID string) error {
	wrote, kept, err := store.Init(a.root, host.Games(), leagueID)
	if err != nil {
		return err
	}
	if a.json {
		return a.print(map[string]any{"root": a.root, "written": list(wrote), "kept": list(kept)})
	}
	for _, name := range wrote {
		fmt.Fprintf(a.out, "wrote %s/%s\n", a.root, name)
	}
	for _, name := range kept {
		fmt.Fprintf(a.out, "kept  %s/%s\n", a.root, name)
	}
	fmt.Fprintf(a.out, "\nChange what you like; a change counts from the next start. `league config --root %s` shows every value in force.\n", quoted(a.root))
	return nil
}

// list is never null in JSON.
func list(names []string) []string { return append([]string{}, names...) }
