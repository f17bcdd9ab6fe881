// Package usage reads command lines strictly, and explains commands: arguments, flags and help.
package usage

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// An Error is an invalid command line.
type Error struct{ error }

// Wrong returns an error that makes the process exit with status 2 and print a pointer to the help.
func Wrong(format string, args ...any) error { return Error{fmt.Errorf(format, args...)} }

// Where names the help of a verb.
func Where(cmd *cobra.Command) string {
	if !cmd.HasParent() || cmd.Name() == "help" {
		return "See `league help`."
	}
	_, verb, _ := strings.Cut(cmd.CommandPath(), " ")
	return fmt.Sprintf("See `league help %s`.", verb)
}

// checkArgs makes a command and its subcommands check their arguments against the usage line.
func checkArgs(cmd *cobra.Command) {
	cmd.Args, cmd.SuggestionsMinimumDistance = checkWords, 2
	for _, below := range cmd.Commands() {
		checkArgs(below)
	}
}

// checkWords returns an error if the number of arguments does not match the usage line, such as "play A B" or "check
// [URL]".
func checkWords(cmd *cobra.Command, words []string) error {
	names := strings.Fields(cmd.Use)[1:]
	usage := strings.Join(append([]string{cmd.CommandPath()}, names...), " ")
	switch {
	case len(words) < len(names) && !strings.HasPrefix(names[len(words)], "["):
		return Wrong("missing %s; usage: %s", names[len(words)], usage)
	case len(words) <= len(names), strings.HasSuffix(usage, "...]"):
		return nil
	case !cmd.HasAvailableSubCommands():
		return Wrong("unexpected argument %q; usage: %s", words[len(names)], usage)
	}
	return noCommand(cmd, words[0])
}

// noCommand returns the error for an unknown subcommand, with suggestions.
func noCommand(cmd *cobra.Command, word string) error {
	path := cmd.CommandPath() + " "
	return Wrong("unknown command %q%s", path+word, meant(path, cmd.SuggestionsFor(word)))
}

// meant returns "; did you mean …?" with the names, each after before; "" without names.
func meant(before string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean `%s`?", before+strings.Join(names, "` or `"+before))
}

// kinds maps the type of a flag to a noun for its value.
var kinds = map[string]string{"int": "a whole number", "duration": "a time such as 2s or 1m30s", "bool": "true or false", "string": "a text"}

// flagError adds the expected value, or suggestions for an unknown flag, to cobra's error.
func flagError(cmd *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var none *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &value) && kinds[value.GetFlag().Value.Type()] != "":
		return Wrong("--%s: want %s, got %q", value.GetFlag().Name, kinds[value.GetFlag().Value.Type()], value.GetValue())
	case errors.As(err, &none) && kinds[none.GetFlag().Value.Type()] != "":
		return Wrong("--%s: want %s, got nothing", none.GetFlag().Name, kinds[none.GetFlag().Value.Type()])
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return Wrong("unknown flag -%.1s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		return Wrong("unknown flag --%s%s", name, meant("--", similar(cmd.Flags(), name)))
	}
	return Error{err}
}

// similar returns the flags with names similar to name, by cobra's rule for suggested commands.
func similar(flags *pflag.FlagSet, name string) []string {
	names := cobra.Command{SuggestionsMinimumDistance: 2}
	flags.VisitAll(func(f *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	return names.SuggestionsFor(name)
}
