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

	lines int    // number of lines drawn on the terminal
	last  string // the line that was printed last, where there is no terminal
}

// Show draws the table on a terminal. On any other output it prints a line whenever the league has progressed.
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
	width, height := size(s.W)
	text := picture(s.Title, status, rows, width, height)
	s.Clear()
	_, _ = lipgloss.Fprint(s.W, text)
	s.lines = strings.Count(text, "\n")
}

// picture is a league on a screen of that size: lines that do not fit are left out, or the next picture could not
// overwrite this one.
func picture(title string, status protocol.LeagueStatus, rows []protocol.Standing, width, height int) string {
	head := Line(status)
	if status.TotalRounds > 0 {
		head = fmt.Sprintf("%s   %s %d/%d", Round(status),
			bar(status.MatchesCompleted, status.TotalMatches, min(24, width/6)), status.MatchesCompleted, status.TotalMatches)
	}
	if next, left := status.NextRound(time.Now()); next != "" {
		head += fmt.Sprintf("   %s, in %v", next, left)
	}
	head = fit(head, width-1)
	if room := width - lipgloss.Width(head) - 4; room > 0 {
		head = Bold.Render(fit(title, room)) + "   " + head
	}
	if status.TotalRounds > 0 && status.PauseReason != "" {
		head += "\n" + Bold.Render(fit(Line(status), width-1))
	}
	text, below := head+"\n", ""
	fit := height - 6 - strings.Count(text, "\n") // lines around the rows, one below, and the one of the cursor
	if fit < len(rows) {
		fit = max(fit, 1)
		below = Faint.Render(fmt.Sprintf("and %d more", len(rows)-fit)) + "\n"
		rows = rows[:fit]
	}
	return text + Table(rows, nil, width) + "\n" + below
}

// size is the size of the terminal, with a default if it cannot be measured.
func size(w io.Writer) (width, height int) {
	width, height = roomy, 24
	if f, ok := w.(*os.File); ok {
		if wide, high, err := term.GetSize(int(f.Fd())); err == nil && wide > 0 && high > 0 {
			width, height = wide, high
		}
	}
	return width, height
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

// Line describes the progress of a league, and why it pauses or waits.
func Line(s protocol.LeagueStatus) string {
	switch {
	case s.PauseReason != "":
		return "paused: " + Plain(s.PauseReason)
	}
	return Progress(s)
}

// Progress describes the progress of a league: the joined agents before its start, rounds and matches afterwards.
func Progress(s protocol.LeagueStatus) string {
	switch {
	case s.TotalRounds == 0 && protocol.IsOver(s.State):
		return "never started"
	case s.TotalRounds == 0:
		return "not started: it " + Present(s)
	}
	out := fmt.Sprintf("%s, %d of %d matches recorded", Round(s), s.MatchesCompleted, s.TotalMatches)
	if next, _ := s.NextRound(time.Now()); next != "" {
		out += "; " + next
	}
	return out
}

// Round names the newest round, and the number of rounds if it is known.
func Round(s protocol.LeagueStatus) string {
	if s.OpenEnd {
		return fmt.Sprintf("round %d", s.CurrentRound)
	}
	return fmt.Sprintf("round %d of %d", s.CurrentRound, s.TotalRounds)
}

// Present returns how a league will start, with the time that is left, if it starts by time.
func Present(s protocol.LeagueStatus) string {
	out := s.Starting(time.Now())
	if left := s.Countdown(time.Now()); left > 0 {
		out += fmt.Sprintf("; %v left", left)
	}
	return out
}

// Count is a number of things, such as 1 player or 2 matches.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "ch") {
		thing += "e"
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
