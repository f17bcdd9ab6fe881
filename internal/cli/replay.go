package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/internal/term"
	"agentleague/protocol"
	"agentleague/store"
)

// replayCommand is `league replay`. Withdrawals are in the log and not in the record, so they are shown only if the
// log is there.
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
		tellMatch(a, rec)
		if !a.chosen {
			printWithdrawals(a, leagueID, rec)
		}
		return nil
	}
	return a.withAnyManager(cmd)
}

// storedRecord returns the record of a match, byte for byte: the manager's, if one was named.
func storedRecord(ctx context.Context, a *app, leagueID, match string) ([]byte, error) {
	if a.chosen {
		return a.fetch(ctx, leagueID, match+".json")
	}
	h, err := a.visit(leagueID)
	if err != nil {
		return nil, err
	}
	doc, err := h.Matches(h.League.LeagueID).Load(match)
	if errors.Is(err, store.ErrNoRecord) {
		return nil, fmt.Errorf("there is no record of %s in %s; the matches are in %s/data/matches/%s", match, h.League.LeagueID, h.Dir(), h.League.LeagueID)
	}
	return doc, err
}

// tellMatch prints a match as a conversation.
func tellMatch(a *app, rec protocol.MatchRecord) {
	fmt.Fprintf(a.out, "%s  %s, round %d: %s against %s, %s, attempt %d\n", term.Brief(rec.MatchID), term.Brief(rec.GameType), rec.RoundID, term.Brief(rec.PlayerAID), term.Brief(rec.PlayerBID), term.Brief(rec.RefereeID), rec.Attempt)
	var drawn boards
	for _, e := range rec.Transcript {
		_, at, _ := strings.Cut(strings.TrimSuffix(e.Timestamp, "Z"), "T")
		fmt.Fprintf(a.out, "  %s  %-14s → %-14s  %s%s\n", term.Brief(at), term.Brief(e.From), term.Brief(e.To), term.Brief(string(e.MessageType)), term.Brief(mainContent(e)))
		drawn.drawIn(a.out, e)
	}
	if !rec.TranscriptComplete {
		fmt.Fprintln(a.out, "  (the messages of this match were not recorded completely)")
	}
	for _, line := range timing(rec) {
		fmt.Fprintln(a.out, line)
	}
	for _, id := range []string{rec.PlayerAID, rec.PlayerBID} {
		if code, forfeited := rec.Result.Forfeits[id]; forfeited {
			fmt.Fprintf(a.out, "technical loss of %s: %s (%s)\n", id, term.Plain(rec.WhyForfeited(id)), cmp.Or(code, "no code"))
		}
	}
	if rec.Result.DrawnNumber.Value != nil {
		fmt.Fprintf(a.out, "draw: %d, from the key %s,\n      whose SHA-256 was published before anyone chose: %s\n", *rec.Result.DrawnNumber.Value, rec.Fairness.Key, rec.Fairness.Commitment)
	}
	fmt.Fprintf(a.out, "%s\n", term.Plain(rec.Result.Reason))
}

// mainContent is the main content of a message, after a gap; empty if the type is enough.
func mainContent(e protocol.TranscriptEntry) string {
	if text := e.Gist(); text != "" {
		return "  " + text
	}
	return ""
}
