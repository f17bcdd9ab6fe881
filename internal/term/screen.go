package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

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
	last  string // the line that was printed last, where there is no terminal
}

// topShown is how many rows of a large table are drawn.
const topShown = 20

// Show draws the table on a terminal; elsewhere it prints a line whenever the league has got further.
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

// Note draws a line of text where the table will be.
func (s *Screen) Note(text string) {
	s.Clear()
	fmt.Fprintln(s.W, text)
	s.lines = 1
}

// Clear takes the table off the terminal.
func (s *Screen) Clear() {
	if s.lines > 0 {
		fmt.Fprintf(s.W, "\x1b[%dA\x1b[J", s.lines)
		s.lines = 0
	}
}

// Line says how far a league is, and why it rests or what it lacks if it does not go on.
func Line(s protocol.LeagueStatus) string {
	switch {
	case s.PauseReason != "":
		return "paused: " + Plain(s.PauseReason)
	case s.Missing != "":
		return Progress(s) + " (" + Plain(s.Missing) + ")"
	}
	return Progress(s)
}

// Progress says how far a league is: who has joined before its start, rounds and matches afterwards.
func Progress(s protocol.LeagueStatus) string {
	if s.TotalRounds == 0 {
		return "not started: " + Present(s)
	}
	return fmt.Sprintf("round %d of %d, %d of %d matches recorded",
		s.CurrentRound, s.TotalRounds, s.MatchesCompleted, s.TotalMatches)
}

// Present says who has joined before the start, and when a league starts: 2 of 6 players, 1 of 1 referees; starts by
// itself at 14:00 (in 12m0s).
func Present(s protocol.LeagueStatus) string {
	out := of(s.Players, s.PlayersWanted, "player") + ", " + of(s.Referees, s.RefereesWanted, "referee")
	at, err := time.Parse(time.RFC3339, s.StartsAt)
	switch left := time.Until(at).Round(time.Second); {
	case err == nil && left > 0:
		return fmt.Sprintf("%s; starts by itself at %s (in %v)", out, at.Local().Format("15:04"), left)
	case s.StartsByItself:
		return out + "; starts by itself once nobody is missing"
	case s.PlayersWanted > 0:
		return out + "; starts with `league start`"
	}
	return out
}

// of counts those who are here of those who are needed, as far as that is known.
func of(here, wanted int, thing string) string {
	if wanted == 0 || here > wanted {
		return count(here, thing)
	}
	return fmt.Sprintf("%d of %s", here, count(wanted, thing))
}

// count is a number of things, such as 1 player or 2 players.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
