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
	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/server"
	"agentleague/store"
)

// enlistCommand is `league enlist`. It first plays a practice match with the agent, whose failure the organizer may
// override.
func enlistCommand(a *app) *cobra.Command {
	var role, name, bearer string
	var tools []string
	var noPractice bool
	cmd := &cobra.Command{Use: "enlist URL", Short: "Add an agent that does not register itself",
		Long: `Add an agent that does not register itself.

Before it is added, a player plays one practice match against a built-in player, and what
went wrong is said in a sentence. Nothing of that counts or is recorded: its league_id is
"practice". An agent that is not ready is added all the same. In a league that has
started, and with --no-practice, no such match is played.`,
		Example: "  league enlist http://localhost:8107/mcp --name \"Agent Gamma\"\n  league enlist " +
			"http://localhost:9001/mcp --role referee --league-id spring\n  league enlist https://bots.example.org/mcp " +
			"--bearer-file token.txt --tool choose_parity=play"}
	cmd.Flags().StringVar(&role, "role", "player", "role of the agent: player or referee")
	cmd.Flags().StringVar(&name, "name", "", "the name in the table (default: its address)")
	cmd.Flags().StringVar(&bearer, "bearer-file", "", "a file with the token that the agent's MCP server wants to be shown")
	cmd.Flags().StringArrayVar(&tools, "tool", nil, "a tool of an MCP server and what it is for, such as "+
		"choose_parity=play; may be repeated")
	cmd.Flags().BoolVar(&noPractice, "no-practice", false, "do not play a practice match first")
	a.admin.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if role != string(protocol.RolePlayer) && role != string(protocol.RoleReferee) {
			return wrongUsage("--role: use player or referee, got %q", role)
		}
		named, err := namedTools(tools)
		if err != nil {
			return err
		}
		e := enlisting{app: a, bearer: bearer, order: &protocol.EnlistAgent{
			Envelope: protocol.Envelope{MessageType: protocol.TypeEnlistAgent}, Role: protocol.Role(role), Endpoint: args[0],
			DisplayName: name, Tools: named,
		}}
		var played *protocol.Practice
		if !noPractice {
			if played, err = e.practise(cmd.Context()); err != nil {
				return err
			}
		}
		ack, err := e.give(cmd.Context())
		if err != nil {
			return err
		}
		said := map[string]any{"league_id": ack.LeagueID, "id": ack.AgentID, "role": role, "endpoint": args[0]}
		if ack.Calls != nil {
			said["calls"] = ack.Calls
		}
		if played != nil {
			said["practice"] = played
		}
		a.say(said, "%s is in %s; `league status` shows whether it answers%s%s", term.Brief(ack.AgentID), term.Brief(ack.LeagueID),
			calledFor(ack.Calls), practiceWords(played))
		return nil
	}
	return a.withManager(cmd)
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
			return nil, wrongUsage("--tool: use what it is for and its name, such as choose_parity=play, got %q", text)
		}
		named[message] = tool
	}
	if _, err := dialect.TypesByHand(named, protocol.TypeGameMoveCall); err != nil {
		return nil, wrongUsage("--tool: %w", err)
	}
	return named, nil
}

// An enlisting is one run of the verb.
type enlisting struct {
	app    *app
	order  *protocol.EnlistAgent
	bearer string // the file with the token for the agent's server; "": none
}

// give sends the order. A token for the agent's server is passed through the root, which the manager shares; it is kept
// only if the manager accepts the agent and the server has answered.
func (e enlisting) give(ctx context.Context) (ack *protocol.LeagueControlAck, err error) {
	a, order := e.app, e.order
	if e.bearer == "" {
		ack, err = a.client().Order(ctx, order)
		return ack, enlistAdvice(err)
	}
	bearers, err := e.offer()
	if err != nil {
		return nil, err
	}
	if ack, err = a.client().Order(ctx, order); err != nil {
		return nil, errors.Join(enlistAdvice(err), bearers.Withdraw(order.Endpoint))
	}
	// If the server did not answer, the token is unverified, and a stored one would be sent to the next server at that
	// address.
	if ack.Calls == nil {
		fmt.Fprintf(a.err, "No MCP server answers at %s yet, so the token is not kept; enlist it again when it runs.\n", order.Endpoint)
		return ack, bearers.Withdraw(order.Endpoint)
	}
	return ack, bearers.Keep(order.Endpoint)
}

// bearerIn reads the token for an MCP server from a file; "" if file is empty.
func bearerIn(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--bearer-file: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if err := store.CheckBearer(token); err != nil {
		return "", fmt.Errorf("--bearer-file: the token in %s cannot be used: %w", file, err)
	}
	return token, nil
}

// offer puts a token where the manager finds it.
func (e enlisting) offer() (b store.Bearers, err error) {
	token, err := bearerIn(e.bearer)
	if err != nil {
		return b, err
	}
	// store.Open would create a missing root, which the manager would never read.
	if _, err := os.Stat(filepath.Join(e.app.root, "data")); err != nil {
		return b, fmt.Errorf("--bearer-file: the token is kept in the manager's folder; give that with --root: %w", err)
	}
	root, err := store.Open(e.app.root, host.Games())
	if err != nil {
		return b, err
	}
	return root.Bearers(), root.Bearers().Offer(e.order.Endpoint, token)
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
	case field.Field == "bearer":
		return fmt.Errorf("%w; give the right one with --bearer-file FILE, in the manager's own --root", err)
	}
	return err
}

// calledFor describes which tool of an MCP server is called for which message; "" if there are no tools.
func calledFor(calls []protocol.ToolUse) string {
	if len(calls) == 0 {
		return ""
	}
	return "\nIt is an MCP server. What is called for what:" + show.ToolUses(calls)
}

// practise plays one practice match with a player before it is enlisted. It returns nil, nil for a referee, for an
// address that no league accepts, and once the league has started, because the player may be in one of its matches.
func (e enlisting) practise(ctx context.Context) (*protocol.Practice, error) {
	a, order := e.app, e.order
	if order.Role != protocol.RolePlayer || !league.Callable(order.Endpoint) {
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
	rules, err := games.Lookup(now.GameType)
	if err != nil {
		return nil, nil // a practice match needs the rules, and only the manager has them
	}
	token, err := bearerIn(e.bearer)
	if err != nil {
		return nil, err
	}
	caller := a.network.caller()
	if token != "" {
		caller.Bearer = func(string) string { return token }
	}
	spoken := ""
	if byHand, err := dialect.TypesByHand(order.Tools, server.GameOf(rules).Asks); err == nil && len(byHand) > 0 {
		spoken = dialect.ToolDialect(byHand)
	}
	p, err := duel.Practise(ctx, games, now.GameType, order.Endpoint, spoken, caller)
	if err != nil && ctx.Err() == nil {
		p.Said, err = "No practice match could be played: "+err.Error()+".", nil
	}
	return &p, err
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
