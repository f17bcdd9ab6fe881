package cli

import (
	"strings"
	"unicode"

	"agentleague/internal/cli/usage"
	"agentleague/internal/kit"

	"github.com/spf13/cobra"
)

// newCommand is `league new`.
func newCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "new", Short: "Write an agent to start from: player, referee or manager",
		Example: "  league new player evelyn --lang python\n  league new referee judge",
		RunE: func(*cobra.Command, []string) error {
			return usage.Wrong("say what to write: player, referee or manager")
		},
	}
	var lang, name string
	var update bool
	player := &cobra.Command{
		Use:   "player DIR",
		Short: "Write a player to start from",
		Long: "Write a player to start from into DIR: a working one that chooses at random, with a README that says " +
			"what to change.\n" +
			"It needs nothing but its language: no packages, no modules.\n" +
			"--update replaces the files of a player written by an older version, except the one with its strategy; " +
			"its identity stays, too.",
		Example: "  league new player evelyn --lang python\n  league new player ada --lang go --name \"Ada\"\n" +
			"  league new player --update evelyn",
	}
	player.Flags().StringVar(&lang, "lang", "python", "the language: "+languageNames())
	player.Flags().StringVar(&name, "name", "", "the name in the table (default: made from DIR)")
	player.Flags().BoolVar(&update, "update", false, "replace the files of the player in DIR; keep its strategy and identity")
	player.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case !update:
			return newPlayer(a, args[0], lang, name)
		case cmd.Flags().Changed("lang") || cmd.Flags().Changed("name"):
			return usage.Wrong("--update keeps the language and the name: leave out --lang and --name")
		}
		return updatePlayer(a, args[0])
	}
	cmd.AddCommand(player, newAgentCommand(a, "referee", "judges Even/Odd", "python3 main.py --port 8001 --manager "+usualManager),
		newAgentCommand(a, "manager", "plays a league of Even/Odd", "python3 main.py --port 8000 --players 4 --referees 1"))
	return cmd
}

// newAgentCommand is `league new referee` or `league new manager`. run is the command that starts the agent.
func newAgentCommand(a *app, role, does, run string) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   role + " DIR",
		Short: "Write a " + role + " to start from, in Python",
		Long: "Write a " + role + " to start from into DIR: a working one that " + does + ", with the rules or the schedule in a file\n" +
			"of their own. It needs Python and nothing else.",
		Example: "  league new " + role + " my-" + role,
		RunE: func(_ *cobra.Command, args []string) error {
			dir := args[0]
			if name == "" {
				name = kit.NameAfter(dir)
			}
			if !validName(name) {
				return usage.Wrong("--name: use a name on one line, got %q", name)
			}
			if err := kit.WriteAgent(role, dir, name); err != nil {
				return err
			}
			a.say(map[string]string{"dir": dir, "name": name, "run": run}, "%s is in %s. Next:\n\n  cd %s\n  %s\n\nREADME.md says what is in "+
				"which file.", name, dir, quoted(dir), run)
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "the "+role+"'s name (default: made from DIR)")
	return cmd
}

// validName reports whether a name can be that of an agent: it has a printing character and is on one line.
func validName(name string) bool {
	return strings.TrimSpace(name) != "" && !strings.ContainsFunc(name, unicode.IsControl)
}

// languageNames returns the languages as a list for a sentence.
func languageNames() string {
	names := kit.Languages()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// newPlayer writes a kit and prints the next steps.
func newPlayer(a *app, dir, lang, name string) error {
	command := kit.Command(lang)
	if command == "" {
		return usage.Wrong("--lang: use %s, got %q", languageNames(), lang)
	}
	if name == "" {
		name = kit.NameAfter(dir)
	}
	if !validName(name) {
		return usage.Wrong("--name: use a name on one line, got %q", name)
	}
	if err := kit.Write(lang, dir, name); err != nil {
		return err
	}
	command += " --port 8101 --manager " + usualManager
	a.say(map[string]string{"dir": dir, "lang": lang, "name": name, "run": command},
		"%s is in %s. Next:\n\n  cd %s\n  %s\n\nIt waits for a league. In other terminals:\n\n"+
			"  league manager --start-when players=2,referees=1\n  league referee --port 8001 --manager %s\n  league "+
			"player --port 8102 --manager %s\n\n"+
			"Then change one function, choose; README.md says how.", name, dir, quoted(dir), command, usualManager, usualManager)
	return nil
}

// updatePlayer replaces the files of a player kit that an older version of the program wrote.
func updatePlayer(a *app, dir string) error {
	lang, replaced, kept, err := kit.Update(dir)
	if err != nil {
		return err
	}
	a.say(map[string]any{"dir": dir, "lang": lang, "replaced": replaced, "kept": kept},
		"Updated the player in %s.\n  replaced: %s\n  kept:     %s\nIts strategy and identity are unchanged; start it again as before.",
		dir, strings.Join(replaced, ", "), strings.Join(kept, ", "))
	return nil
}
