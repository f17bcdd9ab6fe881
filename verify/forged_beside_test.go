package verify_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"agentleague/engine/line"
	"agentleague/protocol"
)

const (
	headFile = logFolder + "journal.head"
	history  = "data/players/P01/history.json"
)

// headAt writes a head that covers the log up to the line with an event.
func headAt(kind, about string) forging {
	return func(f *forger) {
		f.t.Helper()
		n := lineOf(f.log, kind, about)
		lines := strings.Split(string(f.root[logFile].Data), "\n")
		f.put(headFile, line.AppendHead(nil, uint64(n+1), line.Of([]byte(lines[n]))))
	}
}

// appended adds bytes to the end of a file.
func appended(name, text string) forging {
	return func(f *forger) { f.put(name, append([]byte(string(f.root[name].Data)), text...)) }
}

// forgedBeside change files other than the log, and bytes outside of its lines.
var forgedBeside = []forgery{
	{name: "a head before the end of the league", do: headAt("RoundClosed", "2"), in: headFile, want: "seq: want at least"},
	{name: "a head at the first line", do: headAt("LeagueCreated", ""), in: headFile, want: "seq: want at least"},
	{name: "a head of an empty log", in: headFile, want: ", found 0",
		do: func(f *forger) { f.put(headFile, line.AppendHead(nil, 0, line.Hash{})) }},
	{name: "a text behind the last line", do: appended(logFile, "P01 won"), want: "bytes follow the last whole line"},
	{name: "the beginning of a line behind the last", do: appended(logFile, `{"seq":99,"prev":"`),
		want: "bytes follow the last whole line"},
	{name: "zeros behind the last line", do: appended(logFile, strings.Repeat("\x00", 512)),
		want: "bytes follow the last whole line"},
	{name: "zeros and a line end behind the last line", do: appended(logFile, "\x00\x00\n"),
		want: "bytes follow the last whole line"},
	{name: "other points in a history", in: history, want: "points_earned: want ", do: inTable(history, "points_earned", "7")},
	{name: "another result in a history", in: history, want: `, found "TECHNICAL_LOSS"`,
		do: inTable(history, "result", `"`+protocol.TechnicalLoss+`"`)},
	{name: "another number in a history", in: history, want: "drawn_number: want ", do: inTable(history, "drawn_number", "11")},
	{name: "more wins in a history", in: history, want: "wins: want ", do: inTable(history, "wins", "9")},
	{name: "another opponent in a history", in: history, want: `, found "P09"`, do: inTable(history, "opponent_id", `"P09"`)},
	{name: "an attempt in a history that was never assigned", in: history, want: "attempt: want 1, found 5",
		do: inTable(history, "attempt", "5")},
	{name: "a match in a history that the player was not in", in: history, want: "total_matches: want 2, found 3",
		do: inTable(history, "match_id", `"R1M2"`)},
	{name: "another player in a history", in: history, want: `player_id: want "P01", found "P02"`,
		do: inTable(history, "player_id", `"P02"`)},
	{name: "a time in a history before the league", in: history, want: `, found "2020-01-01T00:00:00Z"`,
		do: inTable(history, "timestamp", `"2020-01-01T00:00:00Z"`)},
	{name: "another time of the table", in: standings, want: "last_updated: want ",
		do: inTable(standings, "last_updated", `"2030-01-01T00:00:00Z"`)},
	{name: "another time of the rounds", in: rounds, want: "last_updated: want ",
		do: inTable(rounds, "last_updated", `"2030-01-01T00:00:00Z"`)},
	{name: "another time of the agents", in: agents, want: "last_updated: want ",
		do: inTable(agents, "last_updated", `"2030-01-01T00:00:00Z"`)},
	{name: "another version of the manager", in: agents, want: `version: want "1.0.0", found "9.9.9"`,
		do: func(f *forger) {
			text := string(f.root[agents].Data)
			at := strings.Index(text, `"version": `)
			end := at + strings.IndexAny(text[at:], ",}\n")
			f.put(agents, []byte(text[:at]+`"version": "9.9.9"`+text[end:]))
		}},
	{name: "another version in the log", do: set("Epoch", "", "version", "9.9.9"), want: "welcome: "},
}

func TestForgeriesBesideTheLogAreFound(t *testing.T) { areFound(t, forgedBeside) }

// tally counts the forgeries that were found, by name.
var tally = struct {
	sync.Mutex
	found map[string]bool
}{found: map[string]bool{}}

// TestMain prints the forgeries that were found, by kind. Without a filter all of them must have been made.
func TestMain(m *testing.M) {
	status := m.Run()
	if filter := flag.Lookup("test.run").Value.String(); filter == "" && status == 0 {
		status = printTally()
	}
	os.Exit(status)
}

func printTally() (status int) {
	made, found := 0, 0
	for _, k := range forgeries {
		n := 0
		for _, c := range k.all {
			if tally.found[c.name] {
				n++
			}
		}
		made, found = made+len(k.all), found+n
		fmt.Printf("%-20s %3d of %3d found\n", k.kind, n, len(k.all))
	}
	fmt.Printf("%-20s %3d of %3d found\n", "all", found, made)
	if found < made {
		return 1
	}
	return 0
}
