package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"agentleague/config"
	"agentleague/host"
	"agentleague/protocol"
	"agentleague/rpc"
)

// settle fills in omitted flags from the configuration of the root. An unreadable configuration is ignored here:
// opening the root reports the error.
func (a *app) settle(cmd *cobra.Command) {
	settings, err := config.Peek(a.root, host.Games())
	if err != nil {
		return
	}
	system, err := settings.System()
	if err != nil {
		return
	}
	a.deadlines = host.Deadlines(system.Timeouts)
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

// unsaid reports whether a verb has a flag that was not given.
func unsaid(cmd *cobra.Command, name string) bool {
	f := cmd.Flags().Lookup(name)
	return f != nil && !f.Changed
}

// configured has the help of a flag name no default: it is in the configuration.
func configured(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		f.DefValue = map[string]string{"int": "0"}[f.Value.Type()] // the library shows no default that is nothing
	}
}

// warn prints configuration without effect, once per process.
func (a *app) warn(settings *config.Reader, leagueID string) {
	if a.warned {
		return
	}
	a.warned = true
	for _, w := range settings.Warnings(leagueID) {
		fmt.Fprintf(a.err, "warning: %v\n", shown{errors.New(w)})
	}
}

// A starting is the configuration of an agent: flags, and the configuration for omitted ones.
type starting struct {
	env     *host.Env
	started config.Started
}

// start opens the root for an agent and fills in omitted flags: first from its entry in the configuration, then from
// its role's. Without a port in either it takes the first free one of its role's range.
func (a *app) start(cmd *cobra.Command, f *agentFlags, role protocol.Role) (s starting, err error) {
	if f.OnlyID = f.ID != ""; f.OnlyID && !protocol.ValidID(role, f.ID) {
		return s, wrongUsage("--id: a %s has an id such as %s or %s, got %q", role, protocol.AgentID(role, 1), protocol.AgentID(role, 12), f.ID)
	}
	if s.env, err = a.open(f.LeagueID); err != nil {
		return s, err
	}
	find := s.env.Config().StartPlayer
	if role == protocol.RoleReferee {
		find = s.env.Config().StartReferee
	}
	if s.started, err = find(f.ID); err != nil {
		return s, err
	}
	if s.started.League != "" && unsaid(cmd, "league-id") {
		f.LeagueID = s.started.League
		if s.env, err = a.open(f.LeagueID); err != nil {
			return s, err
		}
	}
	if s.started.Host != "" && unsaid(cmd, "host") {
		a.network.net.Host = s.started.Host
	}
	if err := a.takePort(cmd, f, s); err != nil {
		return s, err
	}
	f.Name = cmp.Or(f.Name, s.started.Name, fmt.Sprintf("%s %s", f.kind, cmp.Or(f.ID, fmt.Sprint(cmp.Or(f.Port, os.Getpid())))))
	return s, nil
}

// takePort finds the port of an agent that was not given one.
func (a *app) takePort(cmd *cobra.Command, f *agentFlags, s starting) (err error) {
	if !unsaid(cmd, "port") {
		return nil
	}
	if s.started.Port != 0 {
		f.Port = s.started.Port
		return nil
	}
	switch n := s.env.System.Network; f.kind {
	case "Agent":
		f.Taken, f.Port, err = a.firstFree(n.DefaultPlayerPortRange, f.kind)
	case "Referee":
		f.Taken, f.Port, err = a.firstFree(n.DefaultRefereePortRange, f.kind)
	}
	return err
}

// firstFree takes the first free port of a range.
func (a *app) firstFree(ports [2]int, what string) (server *rpc.Server, port int, err error) {
	for port := ports[0]; port <= ports[1]; port++ {
		if server, err = a.network.net.Listen(port, what); err == nil || !errors.Is(err, syscall.EADDRINUSE) {
			return server, port, err
		}
	}
	return nil, 0, fmt.Errorf("all ports from %d to %d are in use; give another with --port (0 takes a free one), "+
		"or a larger "+
		"range in config/system.json, network", ports[0], ports[1])
}
