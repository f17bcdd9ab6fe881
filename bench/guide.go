package bench

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// What the figures are between in a guide. Whatever else it says is left as it is.
const (
	guideBegin = "<!-- league bench: begin -->\n"
	guideEnd   = "<!-- league bench: end -->\n"
)

// Markdown is a result as a table of bars and a list of figures, for a guide.
func (r Result) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d cores; %d players, %d matches at a time, %d slices of %.2g s; medians, and the range where there is one.\n\n",
		r.System, r.Cores, r.Players, r.InFlight, r.Slices, r.SliceSec)
	b.WriteString("| bar | aim | measured | |\n|---|---|---|---|\n")
	for _, bar := range r.Bars {
		value, verdict := "not measured", ""
		if bar.Pass != nil {
			value, verdict = number(*bar.Value), "**short**"
			if *bar.Pass {
				verdict = "reached"
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", bar.Name, bar.Bar, value, verdict)
	}
	b.WriteString("\n| figure | median | range |\n|---|---|---|\n")
	for _, row := range r.rows() {
		if row.of != nil {
			fmt.Fprintf(&b, "| %s | %s | %s to %s |\n", row.name, number(row.of.Median), number(row.of.Min), number(row.of.Max))
		}
	}
	b.WriteString("\n" + r.roleTable())
	if len(r.SyscallsPerMatch) > 0 {
		fmt.Fprintf(&b, "\nSystem calls of a match: %s.\n", strings.Join(inOrder(r.SyscallsPerMatch), ", "))
	}
	fmt.Fprintf(&b, "\n%d messages with a wrong token were refused during the slices; afterwards `league verify` passed over %d leagues.\n",
		r.WrongTokensRefused, len(r.Verified))
	return b.String()
}

// A namedFigure is one row of a table in the guide.
type namedFigure struct {
	name string
	of   *Figure
}

// rows are the figures that a guide shows.
func (r Result) rows() []namedFigure {
	rows := []namedFigure{
		{"matches a second", r.MatchesPerSec}, {"exchanges a match", r.ExchangesPerMatch}, {"exchanges a second", r.ExchangesPerSec},
		{"R_std, exchanges a second", r.StdPerSec}, {"R_null, exchanges a second", r.NullPerSec},
		{"`ratio_std`", r.RatioStd}, {"`ratio_null`", r.RatioNull}, {"CPU of a match, ms", r.CPUMsPerMatch},
		{"CPU of an exchange of R_std, µs", r.StdCPUUs}, {"`cpu_ratio_std`", r.CPURatioStd},
		{"reads and writes a match", r.ReadsAndWritesPerMatch},
		{fmt.Sprintf("matches a second, %s players", number(float64(r.Crowd.Players))), r.Crowd.MatchesPerSec},
		{"… objects for a match", r.Crowd.AllocsPerMatch}, {"… CPU of a match, ms", r.Crowd.CPUMsPerMatch},
		{"signed / unsigned", r.Unsigned.Ratio},
	}
	if r.Python != nil {
		rows = append(rows, namedFigure{"matches a second, in Python", r.Python.MatchesPerSec},
			namedFigure{"… CPU of a match, ms", r.Python.CPUMsPerMatch}, namedFigure{"… ours by its", r.Python.Ratio})
	}
	return rows
}

// roleTable is what each kind of process takes.
func (r Result) roleTable() string {
	var b strings.Builder
	b.WriteString("| | referee | players | manager | all |\n|---|---|---|---|---|\n")
	for _, row := range []struct {
		name string
		of   Roles
	}{
		{"objects for a match", r.AllocsPerMatch}, {"objects for an exchange", r.AllocsPerExchange}, {"CPU of an exchange, µs", r.CPUUsPerExchange},
	} {
		fmt.Fprintf(&b, "| %s |", row.name)
		for _, f := range []*Figure{row.of.Referee, row.of.Players, row.of.Manager, row.of.Total} {
			fmt.Fprintf(&b, " %s |", numberOf(f))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// WriteGuide replaces what is between the markers of a guide with the figures of a result.
func (r Result) WriteGuide(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(text, []byte(guideBegin))
	_, after, also := bytes.Cut(rest, []byte(guideEnd))
	if !ok || !also {
		return fmt.Errorf("%s: the lines %q and %q are missing, between which the figures go", file,
			strings.TrimSpace(guideBegin), strings.TrimSpace(guideEnd))
	}
	return os.WriteFile(file, bytes.Join([][]byte{before, []byte(guideBegin + r.Markdown() + guideEnd), after}, nil), 0o644)
}
