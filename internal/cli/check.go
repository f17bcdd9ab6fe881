package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"agentleague/check"
	"agentleague/internal/cli/show"
	"agentleague/internal/cli/usage"
	"agentleague/protocol"
)

// checkCommand is `league check`. It exits with status 1 if any step failed, or if it was interrupted before the last
// step.
func checkCommand(a *app) *cobra.Command {
	var role, junit string
	var credentials credentialFlags
	var tools []string
	var listen int
	var verbose bool
	var o check.Options
	cmd := &cobra.Command{
		Use: "check [URL]", Short: "Check whether an agent keeps to the protocol",
		Long: `Check step by step whether a player, referee or manager keeps to the protocol.

The checker speaks the agent's own dialect and warns about every difference from the
specification. With --strict it speaks only the specification, and every difference
is a failure. What failed is shown first, with what the specification says and how to
fix it, then each warning in a line; -v shows every step (docs/guide/check.md lists
them). Ctrl-C ends the check and shows the result so far.

A player that is an MCP server is recognised by its handshake and has steps of its
own; the result lists which of its tools is called for what.

A player or referee that plays only under its own manager is checked with --listen:
the checker acts as its manager and waits until it registers. Do not check an agent
in the middle of a league: it would be invited to matches that nobody plays, and if
it registers with the checker, it is told at the end that its league is over. A
manager keeps the agents that the check registers with it: check only a manager whose
league you can throw away.`,
		Example: `  league check http://localhost:8101/mcp
  league check http://localhost:8000/mcp --strict
  league check --listen 8000 --role player      then start the player as usual
  league check http://localhost:8101/mcp --junit check.xml
  league check http://localhost:9000/mcp --tool choose_parity=play`,
	}
	cmd.Flags().StringVar(&role, "role", "", "role of the agent: player, referee or manager (default: detected)")
	cmd.Flags().BoolVar(&o.Strict, "strict", false, "speak only the specification, and fail on every difference")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show every step with its details, as it ends")
	cmd.Flags().BoolVar(&o.Long, "long", false, "also run the steps that take half a minute")
	cmd.Flags().IntVar(&listen, "listen", 0,
		"act as a manager on this port, wait for an agent to register, and check it")
	cmd.Flags().IntVar(&o.Callbacks, "callbacks", 8001,
		"also take answers on this port, which some players call whatever they are told; 0: do not")
	cmd.Flags().DurationVar(&o.Wait, "wait", 5*time.Minute, "how long to wait for an agent to register")
	cmd.Flags().StringVar(&junit, "junit", "", "also write the results to this file as JUnit XML")
	cmd.Flags().StringArrayVar(&tools, "tool", nil,
		"a tool of an MCP server and what it is for, such as choose_parity=play; may be repeated")
	credentials.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var err error
		if o.Role, err = parseRole(role); err != nil {
			return err
		}
		if o.Tools, err = namedTools(tools); err != nil {
			return err
		}
		// The value 0 means a free port, but it is also the default: only Changed tells whether the flag was given.
		waits := cmd.Flags().Changed("listen")
		if len(args) == 0 && !waits {
			return usage.Wrong("give the URL of an agent, or --listen PORT to wait for one")
		}
		if o.Port = listen; len(args) > 0 {
			endpoint, given, err := credentials.read(args[0])
			if err != nil {
				return err
			}
			o.Credentials = given
			return runCheck(cmd.Context(), a, endpoint, o, junit, verbose)
		}
		if o.Role == protocol.RoleManager {
			return usage.Wrong("--listen is for players and referees; to check a manager, give its URL")
		}
		o.Ready = func(manager string) {
			fmt.Fprintf(a.err, "waiting for an agent to register with %s\n", manager)
		}
		return runCheck(cmd.Context(), a, "", o, junit, verbose)
	}
	return cmd
}

// parseRole parses the role of an agent; "" means that the check detects it.
func parseRole(text string) (protocol.Role, error) {
	switch text {
	case "":
		return "", nil
	case "player", "referee":
		return protocol.Role(text), nil
	case "manager":
		return protocol.RoleManager, nil
	}
	return "", usage.Wrong("--role: use player, referee or manager, got %q", text)
}

// checkHints is advice about skipped steps, in terms of this command's flags.
var checkHints = check.Hints{
	Listen: "use --listen", Long: "use --long", Port: "choose another port with --listen",
	Role:        "give its role with --role",
	Credentials: "give them with --bearer-file FILE, --header NAME=FILE or in the URL",
	Tool:        "name it with --tool choose_parity=NAME",
	Restart:     "run `league check --listen PORT` and start it with --manager http://localhost:PORT/mcp",
}

// runCheck runs a check and prints its steps: with verbose all of them as they run, otherwise the failures first.
func runCheck(ctx context.Context, a *app, url string, o check.Options, junit string, verbose bool) error {
	page := &show.Check{Out: a.out, Err: a.err, Verbose: verbose}
	o.Hints = checkHints
	if !a.json {
		o.Begin, o.Step = page.Begin, page.Step
		defer page.Stop()
	}
	r, err := check.Run(ctx, url, o)
	if err != nil {
		return err
	}
	page.Stop()
	if junit != "" {
		b, err := check.JUnit(r)
		if err == nil {
			err = os.WriteFile(junit, b, 0o644)
		}
		if err != nil {
			return fmt.Errorf("--junit: %w", err)
		}
	}
	if a.json {
		err = a.print(r)
	} else {
		page.Result(r)
	}
	if !r.OK() || r.Interrupted {
		return errors.Join(err, errReported)
	}
	return err
}
