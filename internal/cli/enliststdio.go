package cli

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/dialect"
	"agentleague/internal/bridge"
	"agentleague/internal/cli/usage"
	"agentleague/protocol"
	"agentleague/server"
)

// programFlags are the flags for an MCP server that a command starts.
type programFlags struct {
	env  []string
	port int
}

const envUsage = "with --stdio: a variable of the environment that the program gets although it looks like a key, such as " +
	"OPENAI_API_KEY; may be repeated"

// add defines the flags.
func (f *programFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.env, "env", nil, envUsage)
	cmd.Flags().IntVar(&f.port, "port", 0, "with --stdio: the port of this machine at which the manager calls the program "+
		"(default: one that follows from its name)")
}

// start starts the program. Only the tools that are chosen for the game are ever called.
func (f programFlags) start(ctx context.Context, a *app, command []string, asks protocol.Type, tools map[string]string) (*bridge.Bridge, error) {
	byHand, err := dialect.TypesByHand(tools, asks)
	if err != nil {
		return nil, usage.Wrong("--tool: %w", err)
	}
	return bridge.Start(ctx, bridge.Options{
		Command: command, Env: f.env, Log: a.err, Port: f.port, Chosen: bridge.ForGame(asks, byHand),
	})
}

// fromProgram enlists a player that is a program, and lets it play until ctx ends.
func (e enlisting) fromProgram(ctx context.Context, f enlistFlags, command []string) (err error) {
	leagueID, question, err := e.asked(ctx)
	if err != nil {
		return err
	}
	e.order.DisplayName = programName(f.name, command)
	b, err := e.started(ctx, f.program, command, leagueID, question.Head().MessageType)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	e.order.Endpoint = b.Endpoint
	if err := e.run(ctx, !f.noPractice); err != nil {
		return err
	}
	fmt.Fprintln(e.app.err, "It plays as long as this command runs; end it with Ctrl-C.")
	<-ctx.Done()
	return e.app.interrupt.ended(ctx, nil)
}

// asked returns the id of the league and an example of the question for a move in its game. For a game that only the
// manager has, the example has a type alone.
func (e enlisting) asked(ctx context.Context) (leagueID string, question protocol.Message, err error) {
	leagueID, now, err := client.Status(ctx, e.app.client())
	if err != nil {
		return "", nil, err
	}
	rules, err := e.app.checkGame(now.GameType)
	if err != nil {
		return leagueID, &protocol.GameMoveCall{Envelope: protocol.Envelope{MessageType: protocol.TypeGameMoveCall}}, nil
	}
	return leagueID, server.GameOf(rules).Asks, nil
}

// started starts the program at the port that was given, or at one that follows from the league and the name: there a
// manager takes the program for the same player when the command is run again.
func (e enlisting) started(ctx context.Context, f programFlags, command []string, leagueID string, asks protocol.Type) (*bridge.Bridge, error) {
	given := f.port != 0
	if !given {
		f.port = usualPort(leagueID, e.order.DisplayName)
	}
	b, err := f.start(ctx, e.app, command, asks, e.order.Tools)
	if !given && errors.Is(err, syscall.EADDRINUSE) {
		f.port = 0
		b, err = f.start(ctx, e.app, command, asks, e.order.Tools)
	}
	return b, err
}

// The range of ports for programs, below those that systems give to outgoing connections.
const (
	firstProgramPort = 20_000
	programPorts     = 10_000
)

// usualPort returns the usual port of a program in a league.
func usualPort(leagueID, name string) int {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(leagueID + "\n" + name))
	return firstProgramPort + int(sum.Sum32()%programPorts)
}

// programName returns the name of a player: the given one, or else that of its script or program.
func programName(given string, command []string) string {
	if given != "" {
		return given
	}
	for _, word := range slices.Backward(command) {
		if !strings.HasPrefix(word, "-") {
			return filepath.Base(word)
		}
	}
	return filepath.Base(command[0])
}
