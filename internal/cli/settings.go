package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"agentleague/config"
	"agentleague/host"
)

// settle fills in omitted flags from the data directory's configuration. It ignores an unreadable configuration,
// because opening the data directory reports that error.
func (a *app) settle(cmd *cobra.Command) {
	settings, err := config.Peek(a.root, host.Games())
	if err != nil {
		return
	}
	system, err := settings.System()
	if err != nil {
		return
	}
	a.network.deadlines = host.Deadlines(system.Timeouts)
	if unsaid(cmd, "host") {
		a.network.net.Host = system.Network.BaseHost
	}
	if unsaid(cmd, "public-url") {
		a.network.net.Public = system.Network.PublicURL
	}
	if unsaid(cmd, "auth-server") {
		a.network.net.AuthServer = system.Security.AuthServer
	}
	if at, err := settings.ManagerEndpoint(); err == nil && unsaid(cmd, "manager") {
		a.manager = at
	}
}

// unsaid reports whether a command has the flag and the user omitted it.
func unsaid(cmd *cobra.Command, name string) bool {
	f := cmd.Flags().Lookup(name)
	return f != nil && !f.Changed
}

// configured makes the help show no default for these flags, since the default is in the configuration.
func configured(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		f.DefValue = map[string]string{"int": "0"}[f.Value.Type()] // the library shows no default that is nothing
	}
}

// warn prints configuration keys that have no effect, once per process.
func (a *app) warn(settings *config.Reader, leagueID string) {
	if a.warned {
		return
	}
	a.warned = true
	for _, w := range settings.Warnings(leagueID) {
		fmt.Fprintf(a.err, "warning: %v\n", shown{errors.New(w)})
	}
}
