package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"

	"agentleague/protocol"
)

// terminal reports whether w is one.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A screen shows a table that changes.
type screen struct {
	app   *app
	title string // the league
	lines int    // of what is drawn on the terminal
	last  string // that was told elsewhere
}

// topShown is how many rows of a large table are drawn.
const topShown = 20

// show draws the table on a terminal, and tells elsewhere how far the league is when that has changed.
func (s *screen) show(status protocol.LeagueStatus, rows []protocol.Standing) {
	switch text := line(status); {
	case s.app.json:
	case terminal(s.app.err):
		s.draw(status, rows)
	case text != s.last:
		fmt.Fprintln(s.app.err, text)
		s.last = text
	}
}

// draw draws the table over the one before.
func (s *screen) draw(status protocol.LeagueStatus, rows []protocol.Standing) {
	head := line(status)
	if status.TotalRounds > 0 {
		head = fmt.Sprintf("round %d of %d   %s %d/%d", status.CurrentRound, status.TotalRounds,
			bar(status.MatchesCompleted, status.TotalMatches, 24), status.MatchesCompleted, status.TotalMatches)
		if status.PauseReason != "" {
			head += "\n" + bold.Render(line(status))
		}
	}
	text := bold.Render(brief(s.title)) + "   " + head + "\n" + standingsTable(rows[:min(len(rows), topShown)]) + "\n"
	s.clear()
	_, _ = lipgloss.Fprint(s.app.err, text)
	s.lines = strings.Count(text, "\n")
}

// clear takes the table off the terminal.
func (s *screen) clear() {
	if s.lines > 0 {
		fmt.Fprintf(s.app.err, "\x1b[%dA\x1b[J", s.lines)
		s.lines = 0
	}
}
