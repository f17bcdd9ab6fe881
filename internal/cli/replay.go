package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"agentleague/engine/journal"
	"agentleague/host"
	"agentleague/internal/cli/show"
	"agentleague/protocol"
	"agentleague/store"
)

// replayCommand is `league replay`. Withdrawals are not part of a record, so it prints them only if the log is present.
func replayCommand(a *app) *cobra.Command {
	var leagueID string
	cmd := &cobra.Command{Use: "replay MATCH", Short: "Show a match again, message by message",
		Example: "  league replay R1M1\n  league replay R2M1 --league-id league_2025_even_odd_2 --json\n" +
			"  league replay R1M1 --manager http://localhost:8000/mcp"}
	cmd.Flags().StringVar(&leagueID, "league-id", "", "the league (default: the root's, or the manager's own)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		doc, err := storedRecord(cmd.Context(), a, leagueID, args[0])
		if err != nil {
			return err
		}
		rec, err := protocol.ParseRecord(doc)
		if err != nil {
			return fmt.Errorf("the record of %s cannot be read: %w", args[0], err)
		}
		if a.json {
			return a.print(rec)
		}
		show.Match(a.out, rec)
		if !a.chosen {
			printWithdrawals(a, leagueID, rec)
		}
		return nil
	}
	return a.withAnyManager(cmd)
}

// storedRecord returns the record of a match, byte for byte, from the manager if one was given, otherwise from the data
// directory.
func storedRecord(ctx context.Context, a *app, leagueID, match string) ([]byte, error) {
	if a.chosen {
		return a.fetch(ctx, leagueID, match+".json")
	}
	h, err := a.visit(leagueID)
	if err != nil {
		return nil, err
	}
	doc, err := h.Matches(h.League.LeagueID).Load(match)
	if removed := (*store.RemovedError)(nil); errors.As(err, &removed) {
		return nil, fmt.Errorf("%s: %w", match, removed)
	}
	if errors.Is(err, store.ErrNoRecord) {
		return nil, fmt.Errorf("there is no record of %s in %s; the matches are in %s/data/matches/%s", match, h.League.LeagueID, h.Dir(), h.League.LeagueID)
	}
	return doc, err
}

// printWithdrawals prints the withdrawal orders that made players forfeit the match.
func printWithdrawals(a *app, leagueID string, rec protocol.MatchRecord) {
	h, err := a.open(leagueID)
	if err != nil {
		return
	}
	for _, line := range withdrawals(h, rec) {
		fmt.Fprintln(a.out, line)
	}
}

// withdrawals describes the orders by which players of the match were withdrawn, from the journal. An unreadable
// journal yields none, because the match can be shown without them.
func withdrawals(h *host.Env, rec protocol.MatchRecord) (lines []string) {
	s, err := store.Fold(journal.Path(h.DataDir(), h.League.LeagueID))
	if err != nil {
		return nil
	}
	for _, o := range s.Orders {
		if _, forfeited := rec.Result.Forfeits[o.ID]; o.What == "withdraw" && forfeited {
			lines = append(lines, show.Order(protocol.OrderInfo{Order: o.What, AgentID: o.ID, By: o.By, At: protocol.Stamp(o.At)}))
		}
	}
	return lines
}
