// Package cli is the command line of league: a file for each verb, which reads
// flags, calls another package, and prints the result.
//
//	args ─▶ cobra ─▶ verb ─▶ server, host, client, verify … ─▶ show ─▶ standard output
//	                   └─ error ─▶ advice ─▶ standard error, exit status
//
// There is no logic here: a verb turns flags into the options of another package
// and its result into lines, or with --json into one object. The packages below
// know no flags, which a test enforces. An error message describes the problem,
// its place and the remedy; the remedy is added here, since only the command
// line knows its flags.
//
// Exit status 0 is success, 1 failure, 2 wrong usage, 3 a verification with
// doubts and no difference.
package cli

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"agentleague/host"
	"agentleague/internal/cli/show"
	"agentleague/internal/cli/usage"
	"agentleague/internal/collector"
)

// Main runs one command line and returns the exit status of the process.
func Main(args []string, out, errs io.Writer) int {
	collector.Begin()
	return run(context.Background(), args, out, errs)
}

// run runs one command line and returns its exit status. It cancels the command's context on an interrupt.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	a := &app{ctx: ctx, out: out, err: errs, interrupt: interruption{err: errs, next: stop}}
	cmd := a.command()
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(errs)
	verb, err := cmd.ExecuteContextC(ctx)
	switch {
	case err == nil:
		return 0
	case !a.running || errors.As(err, new(usage.Error)):
		a.json = a.json || slices.Contains(args, "--json") // it may not have been read
		a.fail(err, "\n", usage.Where(verb))
		return 2
	case errors.Is(err, errDoubt):
		return 3
	case host.IsFull(err):
		a.fail(err, "\n", "Free some disk space and run the same command again; nothing is lost.")
	case !errors.Is(err, errReported):
		a.fail(err, "; ", advice(err))
	}
	return 1
}

// fail prints an error and the hint, with between as separator, or both as JSON.
func (a *app) fail(err error, between, hint string) {
	if a.json {
		told := map[string]string{"message": shown{err}.Error()}
		if hint != "" {
			told["hint"] = hint
		}
		_ = a.print(map[string]any{"error": told})
		return
	}
	a.complain(err, between, hint)
}

// complain prints an error for a person.
func (a *app) complain(err error, between, hint string) {
	if hint == "" {
		between = ""
	}
	fmt.Fprintf(a.err, "league: %s%s%s\n", shown{err}.Error(), between, hint)
}

// groups lists all commands as the help shows them. The file of each is named after it.
var groups = []struct {
	title string
	verbs []func(*app) *cobra.Command
}{
	{"Start here", []func(*app) *cobra.Command{runCommand, playCommand, testCommand, newCommand, checkCommand}},
	{"Run an agent", []func(*app) *cobra.Command{managerCommand, refereeCommand, playerCommand, seatCommand, enlistCommand, connectCommand}},
	{"Organize a league", []func(*app) *cobra.Command{
		classCommand, createCommand, inviteCommand, startCommand, cancelCommand, pauseCommand, resumeCommand, drainCommand, withdrawCommand, restCommand, pairingsCommand, readmitCommand,
		annulCommand, renameCommand, mergeCommand, seasonsCommand, archiveCommand,
	}},
	{"Look at a league", []func(*app) *cobra.Command{
		statusCommand, standingsCommand, scheduleCommand, watchCommand, leaguesCommand, ratingsCommand, replayCommand,
		exportCommand, verifyCommand,
	}},
	{"Maintain the program and its files", []func(*app) *cobra.Command{
		initCommand, configCommand, backupCommand, restoreCommand, benchCommand, serverJSONCommand, versionCommand,
	}},
}

// command returns the root command with all subcommands.
func (a *app) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "league",
		Short: "Run a league of AI agents",
		Long: "Run a league of AI agents: a manager, referees and players that talk JSON-RPC 2.0 over HTTP " +
			"(league.v2).",
		SilenceUsage:  true,
		SilenceErrors: true,
		Example:       "  league run\n  league play random history\n  league help manager",
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.running, a.chosen, a.rooted = true, cmd.Flags().Changed("manager"), cmd.Flags().Changed("root")
			a.logging = cmd.Flags().Changed("log-level")
			a.settle(cmd)
			if err := errors.Join(a.network.read(), a.admin.read()); err != nil {
				return err
			}
			return a.profile()
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&a.root, "root", "SHARED", "the folder for configuration, data and logs")
	cmd.PersistentFlags().BoolVar(&a.json, "json", false, "print one JSON object and nothing else")
	cmd.PersistentFlags().StringVar(&a.level, "log-level", "warn", "how much to log on standard error: debug, "+
		"info, warn or error")
	cmd.PersistentFlags().StringVar(&a.pprof, "pprof", "", "serve profiles of this process at an address, such as "+
		"localhost:6060")
	for _, group := range groups {
		cmd.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, verb := range group.verbs {
			c := verb(a)
			c.GroupID = group.title
			cmd.AddCommand(c)
		}
	}
	usage.Explain(cmd, groups[len(groups)-1].title, map[string]func(io.Writer){"strategies": show.Strategies})
	completion{a}.values(cmd)
	return cmd
}

// advice names the flag or command that fixes a failure; "" if the error's text already does.
func advice(err error) string {
	var listen *host.ListenError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &listen):
		return listenAdvice(listen)
	case errors.As(err, &unknown):
		return "give the certificate file of its CA with --tls-ca"
	}
	return clientAdvice(err)
}
