package cli

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentleague/config"
	"agentleague/internal/cli/usage"
)

// startFlags holds the flags of a league's start condition.
type startFlags struct {
	start, when, at string
	after           time.Duration
}

// add adds the flags to a verb.
func (f *startFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.when, "start-when", "", "start when this many agents have joined, such as players=4,referees=1; "+
		"there is no time limit")
	cmd.Flags().DurationVar(&f.after, "start-after", 0, "start after this time, such as 5m; with --start-when, whichever comes first")
	cmd.Flags().StringVar(&f.at, "start-at", "", "start at this time of day, such as 14:00; with --start-when, whichever comes first")
	cmd.Flags().StringVar(&f.start, "start", "", "manual waits for league start")
}

// given reports whether a flag of the start condition was given.
func (f *startFlags) given() bool { return f.start != "" || f.when != "" || f.at != "" || f.after != 0 }

// condition returns the start condition of the flags. If a manager is restarted with the same flags, the stored start
// time is kept.
func (f *startFlags) condition(stored *config.Start, now time.Time) (config.Start, error) {
	if f.start != "" && f.start != "manual" {
		return config.Start{}, usage.Wrong("--start: use manual, or leave it out; got %q", f.start)
	}
	if f.start != "" && (f.when != "" || f.at != "" || f.after != 0) {
		return config.Start{}, usage.Wrong("--start manual waits for `league start`: leave out --start-when, --start-after and --start-at")
	}
	players, referees, err := parseWhen(f.when)
	if err != nil {
		return config.Start{}, err
	}
	if f.after < 0 {
		return config.Start{}, usage.Wrong("--start-after: use a time such as 5m, got %v", f.after)
	}
	out := config.Start{Players: players, Referees: referees, AfterSec: config.Seconds(f.after.Seconds())}
	was := config.Start{}
	if stored != nil {
		was = *stored
	}
	var at time.Time
	switch {
	case f.after > 0 && was.AfterSec == out.AfterSec && now.Before(was.Time()):
		at = was.Time()
	case f.after > 0:
		at = now.Add(f.after)
	}
	if f.at != "" {
		clock, err := parseClock(f.at, was.Time(), now)
		if err != nil {
			return config.Start{}, err
		}
		if at.IsZero() || clock.Before(at) {
			at = clock
		}
	}
	if !at.IsZero() {
		out.At = at.Format(time.RFC3339)
	}
	return out, nil
}

// parseWhen reads a number of agents.
func parseWhen(text string) (players, referees int, err error) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		name, value, _ := strings.Cut(part, "=")
		n, bad := strconv.Atoi(value)
		switch {
		case bad == nil && n > 0 && strings.TrimSpace(name) == "players":
			players = n
		case bad == nil && n > 0 && strings.TrimSpace(name) == "referees":
			referees = n
		default:
			return 0, 0, usage.Wrong("--start-when: want players=N,referees=N, got %q", text)
		}
	}
	if text != "" && players == 0 {
		return 0, 0, usage.Wrong("--start-when: name the number of players, such as players=4, got %q", text)
	}
	return players, cmp.Or(referees, min(players, 1)), nil
}

// missedWithin limits the age of a stored start time: a time of day given again within it means the stored time, and
// not the next day.
const missedWithin = 12 * time.Hour

// parseClock parses a date and time, or a time of day, which means the stored time if that matches and is recent, and
// otherwise the next occurrence.
func parseClock(text string, stored, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return at, nil
		}
	}
	day, err := time.ParseInLocation("15:04", text, time.Local)
	if err != nil {
		return time.Time{}, usage.Wrong("--start-at: use a time of day such as 14:00, or a date and time such as 2026-11-19T14:00, got %q", text)
	}
	now = now.Local()
	at := time.Date(now.Year(), now.Month(), now.Day(), day.Hour(), day.Minute(), 0, 0, time.Local)
	switch missed := now.Sub(at); {
	case missed <= 0 || stored.Equal(at) && missed < missedWithin:
		return at, nil
	}
	return at.AddDate(0, 0, 1), nil
}
