package usage

import (
	"cmp"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func init() {
	cobra.EnableCommandSorting = false // they are in the order in which people need them
	cobra.AddTemplateFunc("flagUsages", flagUsages)
}

// flagUsages returns the help text of flags. It names the value of a flag by a noun instead of its Go type.
func flagUsages(flags *pflag.FlagSet) string {
	shown := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.VisitAll(func(f *pflag.Flag) {
		c := *f
		c.Usage = strings.ReplaceAll(c.Usage, "`", "") // the library reads text in these quotes as the noun
		if kind := f.Value.Type(); kind != "bool" {
			c.Value = nounValue{f.Value, cmp.Or(nouns[f.Name], nouns[kind], kind)}
		}
		if c.DefValue == "0s" || c.DefValue == "[]" {
			c.DefValue = ""
		}
		shown.AddFlag(&c)
	})
	return shown.FlagUsages()
}

// A nounValue is a flag's, under a noun.
type nounValue struct {
	pflag.Value
	noun string
}

// Type is the noun.
func (c nounValue) Type() string { return c.noun }

// nouns maps the name or else the Go type of a flag to the noun for its value.
var nouns = map[string]string{
	"string": "text", "int": "number", "intSlice": "numbers", "float64": "number", "stringArray": "text",

	"root": "folder", "log-level": "level", "pprof": "address", "host": "address", "allow": "network",
	"manager": "URL", "public-url": "URL", "auth-server": "URL", "llm-url": "URL", "port": "port", "listen": "port",
	"game": "game", "strategy": "strategies", "bots": "strategies", "fallback": "strategy", "llm-fallback": "strategy",
	"league-id": "id", "id": "id", "of": "id", "to": "file|URL", "name": "name", "title": "title", "role": "role",
	"admin-token-file": "file", "bearer-file": "file", "join-key-file": "file", "llm-key-file": "file", "referee-secret": "file",
	"tls-ca": "file", "tls-cert": "file", "tls-key": "file", "junit": "file", "out": "file", "guide": "file", "roster": "file",
	"witness": "file", "key": "file", "seal": "hash", "head": "hash", "engine": "engine", "state": "state", "search": "words", "why": "reason",
	"tool": "message=tool", "llm-model": "model", "llm-kind": "kind", "llm-price": "prices", "sprt": "bounds",
	"start-when": "condition", "pass": "minimums", "guests": "when", "openings": "number|file", "lang": "language",
}

// Explain gives a root command and its subcommands help, completion and exact errors. Its own two commands are in group.
// The topics are further texts of the help command, by name.
func Explain(root *cobra.Command, group string, topics map[string]func(io.Writer)) {
	root.SetUsageTemplate(strings.NewReplacer(".LocalFlags.FlagUsages", "flagUsages .LocalFlags",
		".InheritedFlags.FlagUsages", "flagUsages .InheritedFlags").Replace(root.UsageTemplate()))
	help := helpCommand(root, topics)
	help.GroupID = group
	root.SetCompletionCommandGroupID(group)
	root.SetHelpCommand(help)
	addCompletion(root)
	root.SetFlagErrorFunc(flagError)
	checkArgs(root)
}

// helpCommand explains a command. Unlike cobra's, it returns an error for an unknown command.
func helpCommand(root *cobra.Command, topics map[string]func(io.Writer)) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND...]", Short: "Explain a command", Example: "  league help run\n  league help export " +
			"report\n  league help strategies",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && topics[args[0]] != nil {
				topics[args[0]](root.OutOrStdout())
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

// addCompletion adds cobra's completion command, with an error if no shell is named, and with examples.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return // it is not there, then
	}
	completion.RunE = func(*cobra.Command, []string) error {
		return Wrong("name a shell: bash, fish, powershell or zsh")
	}
	completion.Example = "  league completion fish > ~/.config/fish/completions/league.fish\n  source <(league " +
		"completion bash)"
}
