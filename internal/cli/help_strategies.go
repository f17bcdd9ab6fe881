package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"agentleague/host"
)

// printStrategies explains the built-in strategies: name, behaviour and games.
func printStrategies(out io.Writer) {
	fmt.Fprint(out, "Built-in strategies, for --strategy, --bots, --fallback and `league play`:\n\n")
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	for _, m := range host.Minds() {
		about := m.About
		if len(m.Games) > 0 {
			about += " (plays " + strings.Join(m.Games, ", ") + ")"
		}
		fmt.Fprintf(w, "  %s\t%s\n", m.Spec(), about)
	}
	_ = w.Flush() // as for all help, write errors are ignored
	fmt.Fprint(out, "\nA list has commas between them, and quotes around what has commas or spaces in it.\n"+
		"A strategy that cannot play the league's game is refused before anything starts.\n\nExamples:\n"+
		"  league run --game connect_four --strategy minimax:4,random --players 6\n"+
		"  league play pattern cycle --game rock_paper_scissors\n"+
		"  league player --port 0 --strategy \"exec:python3 player.py\"\n")
}
