package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the version of this build: the module's, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return "0.1.0-dev"
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Tell the version of this program",
		Example: "  league version\n  league version --json",
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.print(map[string]string{"version": version(), "protocol": "league.v2"})
			}
			fmt.Fprintf(a.out, "league %s, protocol league.v2\n", version())
			return nil
		}}
}
