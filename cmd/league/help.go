package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// helpCommand explains a verb. Unlike the library's own it fails for one that there is not.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Explain a command", Example: "  league help run\n  league help export report",
		RunE: func(_ *cobra.Command, args []string) error {
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return wrongUsage("there is no command %s", strings.Join(args, " "))
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
		return wrongUsage("say for which shell: bash, fish, powershell or zsh")
	}
	completion.Example = "  league completion fish > ~/.config/fish/completions/league.fish\n  source <(league completion bash)"
}
