package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"agentleague/internal/cli/usage"
	"agentleague/internal/gateway"
	"agentleague/mailbox"
	"agentleague/rpc"
)

// connectFlags are the flags of `league connect`.
type connectFlags struct {
	manager, key, name string
	port               int
	stdio              bool
	tools, env         []string
}

// add defines the flags.
func (f *connectFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.manager, "to", "", "the endpoint of the manager, with the join key of an invitation if there is one")
	cmd.Flags().StringVar(&f.key, "key", "", "the file with the key of the agent's mailbox, by which the manager knows it "+
		"(default: league-connect-PORT.key or league-connect-NAME.key in this folder, made at the first start)")
	cmd.Flags().IntVar(&f.port, "port", 0, "the port for the agent's messages to its manager (default: the first free one from 8000)")
	cmd.Flags().StringVar(&f.name, "name", "", "register an MCP server, which does not register itself, under this name")
	cmd.Flags().BoolVar(&f.stdio, "stdio", false, "start a program that is an MCP server over standard input and output, and register it")
	cmd.Flags().StringArrayVar(&f.tools, "tool", nil, "a tool of an MCP server and what it is for, such as "+
		"choose_parity=play; may be repeated")
	cmd.Flags().StringArrayVar(&f.env, "env", nil, envUsage)
}

// connectCommand is `league connect`.
func connectCommand(a *app) *cobra.Command {
	var f connectFlags
	cmd := &cobra.Command{Use: "connect URL|COMMAND [ARG...]", Short: "Connect an agent that its manager cannot call",
		Long: `Connect an agent that its manager cannot call: behind a router, on campus Wi-Fi, in a container.

The agent runs on this machine, at URL, and needs no change. Start it with the address that this
command prints in place of its manager's. Messages of the manager and of referees come to it through
one outgoing connection. Our own agents and those of ` + "`league new`" + ` connect themselves.

An MCP server does not register itself: with --name this command registers the server at URL, with
--stdio the program that it starts. It plays until the command ends.`,
		Example: "  league connect http://localhost:8101/mcp --to https://league.example.org/k/KEY/mcp\n" +
			"  league connect http://localhost:9000/mcp --name \"Team Fox\" --to https://league.example.org/k/KEY/mcp\n" +
			"  league connect --stdio --name \"Team Fox\" --to https://league.example.org/k/KEY/mcp -- python3 server.py"}
	f.add(cmd)
	a.network.addTrust(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.manager == "" {
			return usage.Wrong("--to: give the endpoint of the manager, such as https://league.example.org/mcp")
		}
		if f.stdio {
			return a.connectServer(cmd.Context(), f, args)
		}
		if len(args) > 1 {
			return usage.Wrong("unexpected argument %q; a program is started with `league connect --stdio --to URL -- COMMAND`", args[1])
		}
		agent, err := agentURL(args[0])
		if err != nil {
			return err
		}
		if f.name != "" {
			return a.connectServer(cmd.Context(), f, args)
		}
		if f.key == "" {
			f.key = "league-connect-" + portOr(agent) + ".key"
		}
		l, err := listenLocally(f.port, cmd.Flags().Changed("port"))
		if err != nil {
			return err
		}
		defer l.Close()
		return a.connect(cmd.Context(), args[0], f, l)
	}
	return cmd
}

// connect passes messages between the agent and its manager until ctx ends or another program takes over the mailbox.
func (a *app) connect(ctx context.Context, agent string, f connectFlags, l net.Listener) error {
	g := gateway.New(agent)
	g.Own = "http://" + l.Addr().String() + "/mcp"
	link, err := a.dial(ctx, f.manager, f.key, g.Deliver)
	if err != nil {
		return err
	}
	defer link.Close()
	g.Send, g.Mailbox = link.Send, link.Endpoint()
	served := make(chan error, 1)
	serving, stop := context.WithCancel(ctx)
	defer stop()
	go func() { served <- gateway.Serve(serving, l, g) }()
	a.say(map[string]any{"agent": agent, "manager": g.Own, "to": f.manager, "endpoint": link.Endpoint()},
		"Start the agent at %s with this address as its manager's: %s", agent, g.Own)
	select {
	case err = <-served:
	case <-link.Done():
		stop()
		<-served
		err = replaced(link, f.key)
	}
	return a.interrupt.ended(ctx, err)
}

// noMailbox explains why a mailbox could not be opened.
func noMailbox(manager string, err error) error {
	if no := (*mailbox.Refusal)(nil); errors.As(err, &no) {
		return fmt.Errorf("the manager at %s opens no mailbox: %s", manager, no.Reason)
	}
	return fmt.Errorf("no manager answers at %s: %s; check the address, which ends in /mcp", manager, rpc.Unreached(err))
}

// agentURL parses the endpoint of an agent on this machine.
func agentURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, usage.Wrong("want the endpoint of the agent on this machine, such as http://localhost:8101/mcp, got %q", text)
	}
	return u, nil
}

// portOr returns the port of an endpoint, or its scheme if it names none.
func portOr(u *url.URL) string {
	if u.Port() != "" {
		return u.Port()
	}
	return strings.ToLower(u.Scheme)
}

// listenLocally listens on a loopback port. If none was given, it takes the first free one from 8000.
func listenLocally(port int, given bool) (net.Listener, error) {
	const first, last = 8000, 8099
	if given {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return nil, fmt.Errorf("--port: %w; choose another, or 0 for a free one", err)
		}
		return l, nil
	}
	for port = first; port <= last; port++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil || !errors.Is(err, syscall.EADDRINUSE) {
			return l, err
		}
	}
	return nil, fmt.Errorf("all ports from %d to %d are in use; give another with --port (0 takes a free one)", first, last)
}
