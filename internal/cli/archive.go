package cli

import (
	"github.com/spf13/cobra"

	"agentleague/internal/term"
)

// archiveCommand is `league archive`. It removes a league from a manager's list, or restores it.
func archiveCommand(a *app) *cobra.Command {
	var undo bool
	cmd := &cobra.Command{Use: "archive ID", Short: "Take a league that is not being played off a manager's list",
		Long: "Take a league that is not being played off the list of a running manager, which runs it no longer. All its " +
			"files stay:\n`league verify` and `league export` read them as before. --undo brings it back.",
		Example: "  league archive spring\n  league archive spring --undo\n  league leagues --archived"}
	cmd.Flags().BoolVar(&undo, "undo", false, "bring it back")
	a.admin.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := a.client().Archive(cmd.Context(), args[0], undo); err != nil {
			return err
		}
		said := "%s is archived"
		if undo {
			said = "%s is back"
		}
		a.say(map[string]any{"league_id": args[0], "archived": !undo}, said, term.Brief(args[0]))
		return nil
	}
	return a.withAnyManager(cmd)
}
