package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"agentleague/internal/class"
	"agentleague/internal/term"
	"agentleague/server"
	"agentleague/standalone"
)

// classCommand is `league class`. With the same roster it continues the same league; new names are invited to it.
func classCommand(a *app) *cobra.Command {
	var f leagueFlags
	var leagueID string
	var port, referees int
	var noOpen bool
	cmd := &cobra.Command{Use: "class ROSTER.csv", Short: "Run the league of a lesson: for the students of a roster, in rounds by the Swiss system",
		Long: "Run the league of a lesson: make an invitation for each student of ROSTER.csv, print the line with which each joins,\n" +
			"write a page to print with a QR code for each, start referees, and run the league until it is interrupted. The same\n" +
			"command continues it; names that were added to the roster are invited. The league starts when the whole class has\n" +
			"joined, with the button Start on its page, or by --start-when, --start-at or --start-after. Students may join late.",
		Example: "  league class class.csv --host 192.168.1.10\n  league class class.csv --start-when players=20 --game tic_tac_toe\n" +
			"  league export gradebook --out grades.csv"}
	cmd.Flags().IntVar(&port, "port", 0, "the port to listen on; 0 takes a free one (default: network.default_league_manager_port in config/system.json, 8000)")
	configured(cmd, "port")
	cmd.Flags().IntVar(&referees, "referees", 2, "number of referees to start")
	cmd.Flags().StringVar(&leagueID, "league-id", "", "the league (default: the root's, or the next one after it)")
	cmd.Flags().BoolVar(&noOpen, "no-open", false, "open no browser")
	f.add(cmd)
	a.network.add(cmd)
	a.network.addOutside(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(a.checkGame); err != nil {
			return err
		}
		h, err := standalone.Find(leagueID, f.game(), a.open)
		if err != nil {
			return err
		}
		lesson, err := class.Prepare(h, args[0], f.values["format"].text, referees, !f.given())
		if err != nil {
			return err
		}
		f.base = lesson.Settings
		if h, err = f.apply(h, true); err != nil {
			return err
		}
		if port, err = managerPort(cmd, h, port); err != nil {
			return err
		}
		return runManager(cmd.Context(), a, h, server.Options{Port: port}, func(c *server.Server) error {
			if err := lesson.Begin(cmd.Context(), c, "admin via cli "+currentUser()); err != nil {
				return err
			}
			printLesson(a, lesson)
			if !noOpen && !a.json && term.Is(a.out) {
				term.Browse(lesson.RosterPage)
			}
			return nil
		})
	}
	return cmd
}

// printLesson prints the line with which each student joins, and where the pages are.
func printLesson(a *app, l *class.Lesson) {
	if a.json {
		_ = a.print(l)
		return
	}
	for _, i := range l.Invitations {
		fmt.Fprintf(a.out, "%s\n  league player --manager %s\n", term.Brief(i.DisplayName), term.Plain(i.Address))
	}
	fmt.Fprintf(a.err, "Give each student one line and no other, or print the page with QR codes: %s\nRoster: %s (log in with the token in %s/data/admin.token)\nAt the end: league export gradebook --out grades.csv\n",
		l.Handout, l.RosterPage, a.root)
}
