package cli

import (
	"github.com/spf13/cobra"
)

// helpCommand explains a verb. Unlike the library's own it fails for one that there is not.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND...]", Short: "Explain a command", Example: "  league help run\n  league help export " +
			"report\n  league help strategies",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "strategies" {
				printStrategies(root.OutOrStdout())
				return nil
			}
			found, rest, err := root.Find(args)
			switch {
			case err != nil:
				return err
			case len(rest) > 0:
				return noCommand(found, rest[0])
			}
			return found.Help()
		},
	}
}

// completeCompletion makes the verb that the library brings along like ours.
func completeCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return // it is not there, then
	}
	completion.RunE = func(*cobra.Command, []string) error {
		return wrongUsage("name a shell: bash, fish, powershell or zsh")
	}
	completion.Example = "  league completion fish > ~/.config/fish/completions/league.fish\n  source <(league " +
		"completion bash)"
}
