package protocol

import (
	"fmt"
	"strings"
	"time"
)

// Starting returns how a league that has not started will start, and which agents it waits for, as the end of a sentence
// that begins with "The league". The terminal, `league status` and the page print it.
func (s LeagueStatus) Starting(now time.Time) string {
	at, err := time.Parse(time.RFC3339, s.StartsAt)
	timed := err == nil
	complete := s.Players >= s.PlayersWanted && s.Referees >= s.RefereesWanted
	switch {
	case s.PlayersWanted == 0: // read from the log: the condition is unknown
		return s.joined()
	case s.Paused:
		return "is paused and does not start automatically before it is resumed; " + s.joined()
	case complete && s.Missing != "":
		return "cannot start yet: " + Plain(s.Missing)
	case timed && !now.Before(at):
		if s.Missing == "" {
			return "starts now; " + s.joined()
		}
		return "starts automatically as soon as enough agents have joined: " + Plain(s.Missing)
	case s.StartsByNumber && timed:
		return fmt.Sprintf("starts automatically %s, or at %s; %s", s.condition(), clock(at, now), s.progress())
	case s.StartsByNumber:
		return fmt.Sprintf("starts automatically %s; %s", s.condition(), s.progress())
	case timed:
		return fmt.Sprintf("starts automatically at %s; %s", clock(at, now), s.joined())
	}
	return "starts when the organizer types `league start`; " + s.joined()
}

// Countdown returns the time until the start, in whole seconds; 0 without a start by time.
func (s LeagueStatus) Countdown(now time.Time) time.Duration {
	at, err := time.Parse(time.RFC3339, s.StartsAt)
	if err != nil || s.Paused {
		return 0
	}
	return max(at.Sub(now).Round(time.Second), 0)
}

// NextRound returns words for the time at which the calendar opens the next round, and the time left until then. The
// words are "" if that time is unknown or past.
func (s LeagueStatus) NextRound(now time.Time) (at string, left time.Duration) {
	next, err := time.Parse(time.RFC3339, s.NextRoundAt)
	if err != nil || !now.Before(next) {
		return "", 0
	}
	if at = clock(next, now); next.Second() > 0 {
		at = strings.Replace(at, next.Local().Format("15:04"), next.Local().Format("15:04:05"), 1)
	}
	return "the next at " + at, next.Sub(now).Round(time.Second)
}

// condition names the agents that a league starts with. Referees that have joined are not named.
func (s LeagueStatus) condition() string {
	if s.Referees >= s.RefereesWanted {
		return fmt.Sprintf("when all %s have joined", plural(s.PlayersWanted, "player"))
	}
	return fmt.Sprintf("when all %s and %s have joined", plural(s.PlayersWanted, "player"),
		plural(s.RefereesWanted, "referee"))
}

// progress counts the agents that have joined, of those that condition names, and the players that cannot be reached.
func (s LeagueStatus) progress() string {
	count := fmt.Sprintf("%d of %d", s.Players, s.PlayersWanted)
	if s.Referees < s.RefereesWanted {
		count = fmt.Sprintf("%d of %s, %d of %s", s.Players, plural(s.PlayersWanted, "player"), s.Referees,
			plural(s.RefereesWanted, "referee"))
	}
	if s.Unreachable > 0 {
		count += fmt.Sprintf(", %d cannot be reached (`league status` names them; `league start` starts without them)", s.Unreachable)
	}
	return count
}

// joined counts the agents that have joined, of the minimum while they are fewer.
func (s LeagueStatus) joined() string {
	count := func(here, least int, what string) string {
		switch {
		case here < least && s.StartsByNumber:
			return fmt.Sprintf("%d of %s", here, plural(least, what))
		case here < least:
			return fmt.Sprintf("%d of at least %s", here, plural(least, what))
		}
		return plural(here, what)
	}
	return count(s.Players, s.PlayersWanted, "player") + ", " + count(s.Referees, s.RefereesWanted, "referee")
}

// plural counts things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// clock returns a local time of day, with the date on another day.
func clock(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format("15:04 on 2 January")
}
