package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/dialect"
	"agentleague/duel"
	"agentleague/host"
	"agentleague/internal/cli/show"
	"agentleague/internal/cli/usage"
	"agentleague/internal/term"
	"agentleague/league/location"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/store"
)

// enlistFlags are the flags of `league enlist`.
type enlistFlags struct {
	role, name  string
	tools       []string
	noPractice  bool
	credentials credentialFlags
	stdio       bool
	program     programFlags
}

// enlistCommand is `league enlist`. It first plays a practice match with the agent, whose failure the organizer may
// override.
func enlistCommand(a *app) *cobra.Command {
	var f enlistFlags
	cmd := &cobra.Command{Use: "enlist URL|COMMAND [ARG...]", Short: "Add an agent that does not register itself",
		Long: `Add an agent that does not register itself.

Before it is added, a player plays one practice match against a built-in player, and what
went wrong is said in a sentence. Nothing of that counts or is recorded: its league_id is
"practice". An agent that is not ready is added all the same. In a league that has
started, and with --no-practice, no such match is played.

With --stdio the player is a program: an MCP server that speaks over standard input and
output. This command starts it, and it plays until the command ends.`,
		Example: "  league enlist http://localhost:8107/mcp --name \"Agent Gamma\"\n  league enlist " +
			"http://localhost:9001/mcp --role referee --league-id spring\n  league enlist https://bots.example.org/mcp " +
			"--bearer-file token.txt --tool choose_parity=play\n  league enlist --stdio --name \"Team Fox\" -- python3 server.py"}
	cmd.Flags().StringVar(&f.role, "role", "player", "role of the agent: player or referee")
	cmd.Flags().StringVar(&f.name, "name", "", "the name in the table (default: its address, or the name of its program)")
	f.credentials.add(cmd)
	cmd.Flags().StringArrayVar(&f.tools, "tool", nil, "a tool of an MCP server and what it is for, such as "+
		"choose_parity=play; may be repeated")
	cmd.Flags().BoolVar(&f.noPractice, "no-practice", false, "do not play a practice match first")
	cmd.Flags().BoolVar(&f.stdio, "stdio", false, "start a program that is an MCP server over standard input and output")
	f.program.add(cmd)
	a.admin.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		e, err := f.enlisting(a, args)
		if err != nil {
			return err
		}
		if f.stdio {
			return e.fromProgram(cmd.Context(), f, args)
		}
		return e.run(cmd.Context(), !f.noPractice)
	}
	return a.withManager(cmd)
}

// enlisting returns the run of the verb that the flags and arguments ask for.
func (f *enlistFlags) enlisting(a *app, args []string) (e enlisting, err error) {
	role := protocol.Role(f.role)
	named, err := namedTools(f.tools)
	switch {
	case role != protocol.RolePlayer && role != protocol.RoleReferee:
		return e, usage.Wrong("--role: use player or referee, got %q", f.role)
	case err != nil:
		return e, err
	case !f.stdio && len(args) > 1:
		return e, usage.Wrong("unexpected argument %q; a program is started with `league enlist --stdio -- COMMAND`", args[1])
	case f.stdio && role != protocol.RolePlayer:
		return e, usage.Wrong("--stdio is for players; a referee needs an address")
	}
	e = enlisting{app: a, order: &protocol.EnlistAgent{
		Envelope: protocol.Envelope{MessageType: protocol.TypeEnlistAgent}, Role: role, DisplayName: f.name, Tools: named,
	}}
	if !f.stdio {
		e.order.Endpoint, e.credentials, err = f.credentials.read(args[0])
	}
	return e, err
}

// run plays the practice match, if it is wanted, gives the order, and prints the result.
func (e enlisting) run(ctx context.Context, practice bool) error {
	var played *protocol.Practice
	var err error
	if practice {
		if played, err = e.practise(ctx); err != nil {
			return err
		}
	}
	ack, err := e.give(ctx)
	if err != nil {
		return err
	}
	said := map[string]any{"league_id": ack.LeagueID, "id": ack.AgentID, "role": e.order.Role, "endpoint": e.order.Endpoint}
	if ack.Calls != nil {
		said["calls"] = ack.Calls
	}
	if ack.Endpoint != "" {
		said["found_at"] = ack.Endpoint
	}
	if played != nil {
		said["practice"] = played
	}
	e.app.say(said, "%s is in %s; `league status` shows whether it answers%s%s", term.Brief(ack.AgentID), term.Brief(ack.LeagueID),
		calledFor(ack), practiceWords(played))
	return nil
}

// namedTools parses PURPOSE=NAME flags into a map from the purpose of a tool to its name.
func namedTools(texts []string) (map[string]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	named := map[string]string{}
	for _, text := range texts {
		message, tool, ok := strings.Cut(text, "=")
		if !ok || message == "" || tool == "" {
			return nil, usage.Wrong("--tool: use what it is for and its name, such as choose_parity=play, got %q", text)
		}
		named[message] = tool
	}
	if _, err := dialect.TypesByHand(named, protocol.TypeGameMoveCall); err != nil {
		return nil, usage.Wrong("--tool: %w", err)
	}
	return named, nil
}

// An enlisting is one run of the verb.
type enlisting struct {
	app         *app
	order       *protocol.EnlistAgent
	credentials rpc.Credentials // for the agent's server
}

// give sends the order. Credentials for the agent's server are passed through the data directory, which the manager
// shares; they are kept only if the manager accepts the agent and the server has answered.
func (e enlisting) give(ctx context.Context) (ack *protocol.LeagueControlAck, err error) {
	a, order := e.app, e.order
	if e.credentials.IsZero() {
		ack, err = a.client().Order(ctx, order)
		return ack, enlistAdvice(err)
	}
	stored, err := e.offer()
	if err != nil {
		return nil, err
	}
	if ack, err = a.client().Order(ctx, order); err != nil {
		return nil, errors.Join(enlistAdvice(err), stored.Withdraw(order.Endpoint))
	}
	// If the server did not answer, the credentials are unverified, and stored ones would be sent to the next server at
	// that address.
	if ack.Calls == nil {
		fmt.Fprintf(a.err, "No MCP server answers at %s yet, so its credentials are not kept; enlist it again when it runs.\n", order.Endpoint)
		return ack, stored.Withdraw(order.Endpoint)
	}
	return ack, stored.Keep(order.Endpoint)
}

// offer puts the credentials where the manager reads them.
func (e enlisting) offer() (c store.Credentials, err error) {
	root, err := e.managersRoot()
	if err != nil {
		return c, fmt.Errorf("the credentials are kept in the manager's folder; give that with --root: %w", err)
	}
	return root.Credentials(), root.Credentials().Offer(e.order.Endpoint, e.credentials.String())
}

// managersRoot opens the data directory, if a manager has used it: store.Open would create a missing one, which the
// manager would never read.
func (e enlisting) managersRoot() (*store.Root, error) {
	if _, err := os.Stat(filepath.Join(e.app.root, "data")); err != nil {
		return nil, err
	}
	return store.Open(e.app.root, host.Games())
}

// enlistAdvice adds advice to a manager's error about an MCP server.
func enlistAdvice(err error) error {
	var field *client.FieldError
	switch {
	case !errors.As(err, &field):
	case field.Field == "tools" && strings.Contains(field.Message, string(protocol.TypeGameMoveCall)):
		return fmt.Errorf("%w; name it with --tool game_move=NAME", err)
	case field.Field == "tools":
		return fmt.Errorf("%w; name it with --tool choose_parity=NAME", err)
	case field.Field == "credentials":
		return fmt.Errorf("%w; give the right ones with --bearer-file FILE, --header NAME=FILE or in the URL, in the manager's own --root", err)
	}
	return err
}

// calledFor describes where an MCP server was found and which of its tools is called for which message; "" if there
// are no tools.
func calledFor(ack *protocol.LeagueControlAck) string {
	if len(ack.Calls) == 0 {
		return ""
	}
	at := ""
	if ack.Endpoint != "" {
		at = " at " + term.Brief(ack.Endpoint)
	}
	return "\nIt is an MCP server" + at + ". What is called for what:" + show.ToolUses(ack.Calls)
}

// practise plays one practice match with a player before it is enlisted. It returns nil, nil for a referee, for an
// address that no league accepts, and once the league has started, because the player may be in one of its matches.
func (e enlisting) practise(ctx context.Context) (*protocol.Practice, error) {
	a, order := e.app, e.order
	if order.Role != protocol.RolePlayer || !location.Callable(order.Endpoint) {
		return nil, nil
	}
	_, now, err := client.Status(ctx, a.client())
	if err != nil || now.CurrentRound > 0 {
		return nil, nil // an order reports the manager's error
	}
	games, err := a.rules()
	if err != nil {
		return nil, err
	}
	if _, err := games.Lookup(now.GameType); err != nil {
		return nil, nil // a practice match needs the rules, and only the manager has them
	}
	caller := a.network.caller()
	caller.Credentials = e.shown
	p, err := duel.Practise(ctx, games, now.GameType, order.Endpoint, order.Tools, caller)
	if err != nil && ctx.Err() == nil {
		p.Said, err = "No practice match could be played: "+err.Error()+".", nil
	}
	return &p, err
}

// shown returns the credentials for the practice match: those on the command line, or else those that the league has.
func (e enlisting) shown(endpoint string) rpc.Credentials {
	if !e.credentials.IsZero() {
		return e.credentials
	}
	root, err := e.managersRoot()
	if err != nil {
		return rpc.Credentials{}
	}
	kept, _ := rpc.ParseCredentials(root.Credentials().Of(endpoint))
	return kept
}

// practiceWords describes the result of a practice match, on a separate line.
func practiceWords(p *protocol.Practice) string {
	switch {
	case p == nil:
		return ""
	case p.OK:
		return "\n" + term.Plain(p.Said)
	}
	advice := show.Hint(p.Said)
	switch {
	case strings.HasPrefix(p.Said, duel.NotUnderstood):
		advice = "`league check --listen PORT` shows how, and plays with it so."
	case advice == "":
		advice = "`league check` tells more."
	}
	return "\n" + term.Plain(p.Said) + " " + advice
}
