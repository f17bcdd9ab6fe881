package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/client"
	"agentleague/engine/journal"
	"agentleague/internal/term"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/store"
)

// remoteCommands are the verbs that talk to a running manager.
func (a *app) remoteCommands() []*cobra.Command {
	orders := []struct {
		use, short string
		order      protocol.Type
		done       string
		example    string
	}{
		{"start", "Start the league with the agents that have registered", protocol.TypeStartLeague, "the league starts",
			"  league start\n  league start --manager http://localhost:8000/mcp --admin-token-file admin.token"},
		{"pause", "Let no further match start", protocol.TypePauseLeague, "the league is paused; matches in play are finished",
			"  league pause\n  league pause --manager http://localhost:8000/mcp --admin-token-file admin.token"},
		{"resume", "Go on after a pause", protocol.TypeResumeLeague, "the league goes on",
			"  league resume\n  league resume --manager http://localhost:8000/mcp --admin-token-file admin.token"},
		{"drain", "Let no further match start until the league is resumed or its manager started again", protocol.TypeDrainLeague, "the league is drained; matches in play are finished",
			"  league drain\n  league drain --league-id spring --admin-token-file admin.token"},
		{"withdraw PLAYER", "Take a player out of the league", protocol.TypeWithdrawPlayer, "the player is out; what it has played stands",
			"  league withdraw P03\n  league withdraw P03 --manager http://localhost:8000/mcp --admin-token-file admin.token"},
	}
	var out []*cobra.Command
	for _, o := range orders {
		cmd := &cobra.Command{Use: o.use, Short: o.short, Example: o.example}
		a.adminFlags(cmd)
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			return a.order(cmd.Context(), o.order, o.done, args)
		}
		out = append(out, a.withManager(cmd))
	}
	status := &cobra.Command{Use: "status", Short: "Tell how the league stands and who is in it", Example: "  league status\n  league status --json --manager http://localhost:8000/mcp",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.status(cmd.Context()) }}
	standings := &cobra.Command{Use: "standings", Short: "Show the table", Example: "  league standings\n  league standings --json --manager http://localhost:8000/mcp",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.standings(cmd.Context()) }}
	schedule := &cobra.Command{Use: "schedule", Short: "Show who meets whom", Example: "  league schedule\n  league schedule --json --manager http://localhost:8000/mcp",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.schedule(cmd.Context()) }}
	a.adminFlags(status)
	return append(out, a.inviteCommand(), a.readmitCommand(), a.annulCommand(), a.withManager(status), a.withManager(standings), a.withManager(schedule), a.watchCommand(), a.enlistCommand(), a.createCommand())
}

// withManager adds the flags of a verb that asks a manager about one of its leagues.
func (a *app) withManager(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&a.leagueID, "league-id", "", "which of the manager's leagues (default: the one at its endpoint)")
	return a.withAnyManager(cmd)
}

// withAnyManager adds the flags of a verb that asks a manager.
func (a *app) withAnyManager(cmd *cobra.Command) *cobra.Command {
	a.trustFlag(cmd)
	return a.managedBy(cmd)
}

// managedBy adds the flag that says where the manager is.
func (a *app) managedBy(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&a.manager, "manager", "http://localhost:8000/mcp", "the endpoint of the manager")
	return cmd
}

// client calls the manager that was named, as the admin if there is a token.
func (a *app) client() *client.Client {
	return &client.Client{Manager: a.manager, LeagueID: a.leagueID, Token: a.adminToken(), Options: a.caller()}
}

// caller is how a verb calls those whose address was typed.
func (a *app) caller() rpc.Options { return a.outside.net.Caller() }

// source answers questions: the manager or, where none answers and nobody said that it has to be that one, the log of the root.
func (a *app) source() client.Source {
	if a.asked == nil {
		a.asked = &client.Fallback{Manager: a.client()}
		if !a.chosen {
			a.asked.Log = a.past
		}
	}
	return a.asked
}

// past reads the log of the root's league, and tells the person so. Without one it returns nil.
func (a *app) past() (*league.State, error) {
	id, err := a.leagueIn(os.DirFS(a.root), a.leagueID)
	if err != nil {
		return nil, nil
	}
	fmt.Fprintf(a.err, "No manager answers at %s; this is from the log in %s.\n", a.manager, a.root)
	return league.Fold(store.Entries(journal.Path(filepath.Join(a.root, "data"), id)))
}

// clientAdvice says what to do when a manager cannot be asked; "": that is said already.
func clientAdvice(err error) string {
	switch {
	case errors.Is(err, client.ErrNoManager):
		return "start one with `league manager`, or say where it is with --manager"
	case errors.Is(err, client.ErrToken):
		return "give --admin-token-file, set LEAGUE_ADMIN_TOKEN, or run this where --root is the manager's own folder"
	case errors.Is(err, client.ErrTooOften):
		return "wait a moment, or change security.open_requests_per_second_per_address in its config/system.json"
	}
	return ""
}

func (a *app) order(ctx context.Context, t protocol.Type, done string, args []string) error {
	m := &protocol.Tool{Envelope: protocol.Envelope{MessageType: t}}
	if len(args) > 0 {
		m.PlayerID = args[0]
	}
	return a.carried(ctx, m, done)
}

// carried gives an order and says that it was carried out.
func (a *app) carried(ctx context.Context, m protocol.Message, done string) error {
	ack, err := a.client().Order(ctx, m)
	if err != nil {
		return err
	}
	if a.json {
		return a.print(map[string]any{"league_id": ack.LeagueID, "status": ack.Status, "state": ack.State, "paused": ack.Paused})
	}
	fmt.Fprintln(a.out, done)
	return nil
}

func (a *app) standings(ctx context.Context) error {
	data, err := client.Standings(ctx, a.source())
	if err != nil {
		return err
	}
	if shown := len(data.Standings); shown < data.Total {
		fmt.Fprintf(a.err, "These are the first %d of %d.\n", shown, data.Total)
	}
	if a.json {
		return a.print(map[string]any{"league_id": data.LeagueID, "round": data.Round, "standings": data.Standings, "results": data.Results})
	}
	term.PrintTable(a.out, data.Standings)
	if words := basisWords(data.Results); words != "" {
		fmt.Fprintln(a.out, words)
	}
	return nil
}

func (a *app) schedule(ctx context.Context) error {
	id, all := "", []protocol.ScheduledRound{}
	for part, err := range client.Schedule(ctx, a.source()) {
		if err != nil {
			return err
		}
		if a.json {
			id, all = part.LeagueID, append(all, part.Schedule...)
			continue
		}
		a.printRounds(part.Schedule)
	}
	if a.json {
		return a.print(map[string]any{"league_id": id, "schedule": all})
	}
	return nil
}

func (a *app) printRounds(rounds []protocol.ScheduledRound) {
	for _, round := range rounds {
		fmt.Fprintf(a.out, "Round %d\n", round.RoundID)
		for _, m := range round.Matches {
			winner := ""
			if m.Winner != nil {
				winner = *m.Winner
			}
			fmt.Fprintf(a.out, "  %-8s %s - %s  %s\n", term.Brief(m.MatchID), term.Brief(m.PlayerAID), term.Brief(m.PlayerBID), strings.Join(strings.Fields(term.Brief(strings.ToLower(m.Status))+" "+term.Brief(winner)+" "+term.Brief(m.Proof)), "  "))
		}
	}
}

// print writes one JSON object.
func (a *app) print(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := a.out.Write(protocol.PlainJSON(b.Bytes()))
	return err
}
