package term

import (
	"fmt"
	"io"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"

	"agentleague/protocol"
)

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A Screen shows the table of a league while it changes.
type Screen struct {
	W     io.Writer
	Title string // the league

	lines int    // of what is drawn on the terminal
	last  string // that was told elsewhere
}

// topShown is how many rows of a large table are drawn.
const topShown = 20

// Show draws the table on a terminal, and tells elsewhere how far the league is when that has changed.
func (s *Screen) Show(status protocol.LeagueStatus, rows []protocol.Standing) {
	switch text := Line(status); {
	case Is(s.W):
		s.Draw(status, rows)
	case text != s.last:
		fmt.Fprintln(s.W, text)
		s.last = text
	}
}

// Draw draws the table over the one before.
func (s *Screen) Draw(status protocol.LeagueStatus, rows []protocol.Standing) {
	head := Line(status)
	if status.TotalRounds > 0 {
		head = fmt.Sprintf("round %d of %d   %s %d/%d", status.CurrentRound, status.TotalRounds,
			bar(status.MatchesCompleted, status.TotalMatches, 24), status.MatchesCompleted, status.TotalMatches)
		if status.PauseReason != "" {
			head += "\n" + Bold.Render(Line(status))
		}
	}
	text := Bold.Render(Brief(s.Title)) + "   " + head + "\n" + Table(rows[:min(len(rows), topShown)]) + "\n"
	s.Clear()
	_, _ = lipgloss.Fprint(s.W, text)
	s.lines = strings.Count(text, "\n")
}

// Clear takes the table off the terminal.
func (s *Screen) Clear() {
	if s.lines > 0 {
		fmt.Fprintf(s.W, "\x1b[%dA\x1b[J", s.lines)
		s.lines = 0
	}
}

// Line tells in words how far a league is.
func Line(s protocol.LeagueStatus) string {
	if s.PauseReason != "" {
		return "paused: " + Plain(s.PauseReason)
	}
	if s.TotalRounds == 0 {
		return fmt.Sprintf("waiting for agents: %d players and %d referees are here", s.Players, s.Referees)
	}
	return fmt.Sprintf("round %d of %d, %d of %d matches recorded", s.CurrentRound, s.TotalRounds, s.MatchesCompleted,
		s.TotalMatches)
}
