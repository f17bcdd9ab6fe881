package main

import (
	"encoding/csv"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"agentleague/engine/journal"
	"agentleague/league"
)

func (a *app) exportCommand() *cobra.Command {
	var leagueID string
	cmd := &cobra.Command{Use: "export", Short: "Write a match or the table for other programs", Args: cobra.NoArgs}
	cmd.PersistentFlags().StringVar(&leagueID, "league-id", "", "the league (default: the root's)")
	cmd.AddCommand(
		&cobra.Command{Use: "match MATCH", Short: "Write the record of a match as JSON", Args: cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error {
				doc, err := a.record(leagueID, args[0])
				if err != nil {
					return err
				}
				_, err = a.out.Write(doc)
				return err
			}},
		&cobra.Command{Use: "standings", Short: "Write the table as CSV, or as JSON with --json", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return a.exportStandings(leagueID) }},
	)
	return cmd
}

// exportStandings computes the table from the journal, without disturbing a manager that has it open.
func (a *app) exportStandings(leagueID string) error {
	h, err := a.open(leagueID)
	if err != nil {
		return err
	}
	s, err := league.Fold(entries(journal.Path(h.dataDir(), h.league.LeagueID)))
	if err != nil {
		return err
	}
	if s.Created.LeagueID == "" {
		return fmt.Errorf("no league %s has been played in %s", h.league.LeagueID, h.Dir())
	}
	table := s.Standings()
	if a.json {
		return a.print(map[string]any{"league_id": h.league.LeagueID, "round": s.Round, "standings": table})
	}
	w := csv.NewWriter(a.out)
	rows := [][]string{{"rank", "player_id", "display_name", "played", "wins", "draws", "losses", "technical_losses", "points"}}
	for _, r := range table {
		row := []string{strconv.Itoa(r.Rank), r.PlayerID, r.DisplayName}
		for _, n := range []int{r.Played, r.Wins, r.Draws, r.Losses, r.TechnicalLosses, r.Points} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, row)
	}
	return w.WriteAll(rows)
}
