package cli

import "strings"

// quoted writes an argument as a shell wants it.
func quoted(arg string) string {
	if strings.ContainsAny(arg, " \t'\"$&|;<>()*?") {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return arg
}
