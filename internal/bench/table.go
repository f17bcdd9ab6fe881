package bench

import (
	"fmt"
	"os"
	"strings"
)

// A row is one figure of the table that the terminal and the guides show.
type row struct {
	name string
	of   *Figure
}

// rows are the figures of a result, in the order of the table.
func (r Result) rows() []row {
	return []row{
		{"matches a second", r.MatchesPerSec}, {"exchanges a match", r.ExchangesPerMatch},
		{"exchanges a second", r.ExchangesPerSec},
		{"R_std, exchanges a second", r.StdPerSec}, {"R_null, exchanges a second", r.NullPerSec},
		{"ratio_std", r.RatioStd}, {"ratio_null", r.RatioNull},
		{"CPU of a match, ms", r.CPUMsPerMatch},
		{"CPU of an exchange of R_std, µs", r.StdCPUUs}, {"cpu_ratio_std", r.CPURatioStd},
		{"reads and writes a match", r.ReadsAndWritesPerMatch},
		{fmt.Sprintf("matches a second, %s players", number(float64(r.Crowd.Players))), r.Crowd.MatchesPerSec},
		{"… objects for a match", r.Crowd.AllocsPerMatch}, {"… CPU of a match, ms", r.Crowd.CPUMsPerMatch},
		{"matches a second, unsigned", r.Unsigned.MatchesPerSec}, {"… CPU of a match, ms", r.Unsigned.CPUMsPerMatch},
		{"signed / unsigned", r.Unsigned.Ratio},
	}
}

// roles are the figures by kind of process: rows of referee, players, manager and total.
func (r Result) roles() [][]string {
	table := [][]string{{"", "referee", "players", "manager", "all"}}
	for _, of := range []struct {
		name  string
		roles Roles
	}{
		{"objects for a match", r.AllocsPerMatch}, {"objects for an exchange", r.AllocsPerExchange},
		{"CPU of an exchange, µs", r.CPUUsPerExchange},
	} {
		table = append(table, []string{
			of.name, numberOf(of.roles.Referee), numberOf(of.roles.Players), numberOf(of.roles.Manager), numberOf(of.roles.Total),
		})
	}
	return table
}

// tables are all tables of a result: bars, figures, and figures by kind of process.
func (r Result) tables() [][][]string {
	aims := [][]string{{"bar", "aim", "measured", ""}}
	for _, b := range r.Bars {
		value, verdict := "-", "not measured: "+b.Note
		if b.Pass != nil {
			value, verdict = number(*b.Value), "short"
			if *b.Pass {
				verdict = "reached"
			}
		}
		aims = append(aims, []string{b.Name, b.Bar, value, verdict})
	}
	figures := [][]string{{"figure", "median", "range"}}
	for _, row := range r.rows() {
		if row.of != nil {
			figures = append(figures, []string{row.name, number(row.of.Median), number(row.of.Min) + " to " + number(row.of.Max)})
		}
	}
	figures = append(figures, []string{"time of a match, ms", number(r.P50Ms), "99 %: " + number(r.P99Ms)})
	return [][][]string{aims, figures, r.roles()}
}

// heading describes the run.
func (r Result) heading() string {
	return fmt.Sprintf("%s, %d cores; %d players, %d matches at a time, %d slices of %.2g s; medians, and the range where there is one.\n",
		r.System, r.Cores, r.Players, r.InFlight, r.Slices, r.SliceSec)
}

// checks describes the verifications beside the figures.
func (r Result) checks() string {
	results := 0
	for _, v := range r.Verified {
		results += v.Results
	}
	return fmt.Sprintf("%d messages with a wrong token were refused. `league verify` verified all %s results of %d leagues.\n",
		r.WrongTokensRefused, number(float64(results)), len(r.Verified))
}

// Text formats the result for a terminal.
func (r Result) Text() string {
	var b strings.Builder
	b.WriteString(r.heading())
	for _, table := range r.tables() {
		b.WriteString("\n")
		for _, cells := range table {
			line := fmt.Sprintf("  %-34s", cells[0])
			for _, cell := range cells[1:] {
				line += fmt.Sprintf(" %12s", cell)
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return b.String() + "\n" + r.checks()
}

// Markdown formats the result for a guide.
func (r Result) Markdown() string {
	out := r.heading()
	for _, table := range r.tables() {
		out += "\n" + markdown(table)
	}
	return out + "\n" + r.checks()
}

// Capacity formats the figures by which an operator sizes machines.
func (r Result) Capacity() string {
	cpu := func(f *Figure) string {
		if f == nil || r.ExchangesPerMatch == nil {
			return "-"
		}
		return number(f.Median * r.ExchangesPerMatch.Median / 1000)
	}
	by := r.CPUUsPerExchange
	return markdown([][]string{
		{"", "measured"},
		{"CPU of a match, all processes", fmt.Sprintf("%s ms: referee %s, manager %s, players %s",
			numberOf(r.CPUMsPerMatch), cpu(by.Referee), cpu(by.Manager), cpu(by.Players))},
		{"memory of a match in play, with its referee", number(r.RSSPerMatchInFlight) + " KiB"},
		{"memory of an idle player, in one process of many", number(r.RSSPerIdlePlayer) + " KiB"},
		{"log of a match of Even/Odd", number(r.Disk.Log) + " KiB"},
		{"record of the match, compressed, with the referee and with a manager in another root", number(r.Disk.Record) + " KiB each"},
		{"readable copy of the record, with the manager", number(r.Disk.Copy) + " KiB"},
	}) + "\nOne round of so many leagues × players, in which every player plays once, is a multiple of these figures:\n\n" +
		markdown(r.extrapolated())
}

// markdown formats a table, its first row as the heading.
func markdown(table [][]string) string {
	var b strings.Builder
	for n, cells := range table {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
		if n == 0 {
			b.WriteString(strings.Repeat("|---", len(cells)) + "|\n")
		}
	}
	return b.String()
}

// endMark ends a block of figures in a guide.
const endMark = "<!-- league bench: end -->\n"

// WriteGuide replaces the blocks of figures in a guide and leaves all other text unchanged. A block begins with
// <!-- league bench: figures --> or <!-- league bench: capacity -->.
func (r Result) WriteGuide(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, found := string(content), false
	for name, figures := range map[string]func() string{"figures": r.Markdown, "capacity": r.Capacity} {
		mark := fmt.Sprintf("<!-- league bench: %s -->\n", name)
		before, rest, begun := strings.Cut(text, mark)
		_, after, ended := strings.Cut(rest, endMark)
		if begun && ended {
			text, found = before+mark+figures()+endMark+after, true
		}
	}
	if !found {
		return fmt.Errorf("%s: no block from <!-- league bench: figures --> (or capacity) to %s", file, strings.TrimSpace(endMark))
	}
	return os.WriteFile(file, []byte(text), 0o644)
}
