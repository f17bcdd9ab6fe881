package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"agentleague/config"
	"agentleague/host"
	"agentleague/internal/term"
)

// configCommand is `league config`. It accepts the flags of the commands that run agents, to show their effect.
func configCommand(a *app) *cobra.Command {
	cmd := a.managedBy(&cobra.Command{Use: "config", Short: "Show every setting in force and where it comes from",
		Long: "Show every value of the configuration in --root as it counts, with its origin: a line of a file, a flag, the\n" +
			"environment, or the default. Nothing is written: where a file is missing, its defaults are shown.",
		Example: "  league config\n  league config --league-id spring --json\n  league config --root class --host " +
			"192.168.1.10"})
	var leagueID string
	cmd.Flags().StringVar(&leagueID, "league-id", "", "the league whose settings are shown (default: the root's)")
	a.network.add(cmd)
	a.admin.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return showConfiguration(a, cmd, leagueID) }
	return cmd
}

// A setting is a value in force with its source.
type setting struct {
	Key   string `json:"key"` // a flag, or the path in a file
	Value any    `json:"value"`
	From  string `json:"from"` // default, file, flag or environment
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Name  string `json:"name,omitempty"` // of the flag or the variable
}

// origin describes the source of a setting.
func (s setting) origin() string {
	switch s.From {
	case "file":
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	case "flag", "environment":
		return s.From + " " + s.Name
	}
	return s.From
}

// showConfiguration prints the values in force: flags and environment first, then files, then defaults. It is read-only
// and creates no data directory.
func showConfiguration(a *app, cmd *cobra.Command, leagueID string) error {
	if leagueID != "" {
		if err := config.CheckID("--league-id", leagueID); err != nil {
			return err
		}
	}
	settings, err := config.Peek(a.root, host.Games())
	if err != nil {
		return err
	}
	values, err := settings.Values(leagueID)
	if err != nil {
		return err
	}
	a.warn(settings, leagueID)
	all := commandLine(a, cmd, values)
	for _, v := range values {
		s := setting{Key: v.Key, Value: v.Value, From: "default", File: v.File}
		if v.Line > 0 {
			s.From, s.Line = "file", v.Line
		}
		all = append(all, s)
	}
	if a.json {
		return a.print(map[string]any{"root": a.root, "settings": all})
	}
	printSettings(a, all)
	return nil
}

// printSettings prints one table for the flags and then one for each file.
func printSettings(a *app, all []setting) {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	file := ""
	for _, s := range all {
		if s.Key[0] != '-' && s.File != file {
			file = s.File
			fmt.Fprintf(w, "\n%s\n", file)
		}
		value := fmt.Sprint(s.Value)
		if text, ok := s.Value.(json.RawMessage); ok {
			value = string(text)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", s.Key, term.Plain(value), s.origin())
	}
	_ = w.Flush()
}

// commandLine lists the settings that come from flags and the environment and apply to every command. For a secret it
// shows only the source.
func commandLine(a *app, cmd *cobra.Command, values []config.Value) (out []setting) {
	for _, name := range []string{"root", "manager", "host", "log-level", "pprof", "allow", "tls-cert", "tls-key", "tls-ca"} {
		flag := cmd.Flags().Lookup(name)
		s := setting{Key: "--" + name, Value: flag.Value.String(), From: "default"}
		switch {
		case flag.Changed:
			s.From, s.Name = "flag", "--"+name
		case name == "manager":
			s.Value = a.manager
			s.fromFile(values, "league_manager.endpoint", a.manager)
			s.fromFile(values, "network.default_league_manager_port", a.manager)
		case name == "host":
			s.Value = a.network.net.Host
			s.fromFile(values, "network.base_host", a.network.net.Host)
		}
		out = append(out, s)
	}
	return append(out, a.admin.setting(a.root), joinKeySetting())
}

// fromFile sets the file and line that the value of an omitted flag comes from. It ignores keys whose value differs
// from text, the value in force, and does nothing if a source is already set.
func (s *setting) fromFile(values []config.Value, key, text string) {
	for _, v := range values {
		if v.Key != key || v.Line == 0 || s.From != "default" || v.Value[0] == '"' && string(v.Value) != fmt.Sprintf("%q", text) {
			continue
		}
		s.From, s.File, s.Line = "file", v.File, v.Line
	}
}

// joinKeySetting returns the source of an agent's join key.
func joinKeySetting() setting {
	s := setting{Key: "--join-key-file", Value: "", From: "default"}
	if os.Getenv(joinKeyVariable) != "" {
		s.Value, s.From, s.Name = "(set)", "environment", joinKeyVariable
	}
	return s
}
