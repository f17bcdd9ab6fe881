package verify_test

import (
	"encoding/json"
	"strings"
	"testing"

	"agentleague/protocol"
)

// Records and tables stand beside the log: each is forged in its own place.

// kept1 is the record of R2M1 with its referee.
const kept1 = "data/referees/REF01/" + theLeague + "/R2M1.1.json"

// recorded puts another text into both copies of the record of R2M1, and its hash into the journal.
func recorded(edit func(text string) string) forging {
	return func(f *forger) {
		f.t.Helper()
		text := edit(string(f.root[kept1].Data))
		f.put(kept1, []byte(text))
		f.put(shownAt("R2M1"), []byte(text))
		set("ResultRecorded", "R2M1", "record_sha256", protocol.RecordHash([]byte(text)))(f)
	}
}

// copied puts the text of one file into another.
func copied(from, to string) forging {
	return func(f *forger) {
		f.t.Helper()
		f.put(to, f.root[from].Data)
	}
}

const (
	forgedNumber = `"drawn_number": `
	otherNumber  = `"drawn_number": 1`
)

var forgedRecords = []forgery{
	{name: "the manager's record", in: shownAt("R2M1"), want: "drawn_number: want",
		do: replace(shownAt("R2M1"), forgedNumber, otherNumber)},
	{name: "the referee's record", do: replace(kept1, forgedNumber, otherNumber), in: kept1, want: "drawn_number: want"},
	{name: "both records", in: kept1, want: "that of the record in journal.jsonl:",
		do: all(replace(shownAt("R2M1"), forgedNumber, otherNumber), replace(kept1, forgedNumber, otherNumber))},
	{name: "no record", do: remove(shownAt("R2M1")), in: shownAt("R2M1"), want: "the record is missing"},
	{name: "an empty record", in: shownAt("R2M1"), want: "its SHA-256 is",
		do: func(f *forger) { f.put(shownAt("R2M1"), nil) }},
	{name: "another match's record", in: shownAt("R2M1"), want: "match_id: want",
		do: copied(shownAt("R1M1"), shownAt("R2M1"))},
	{name: "another match's record with both", in: kept1, want: "its SHA-256 is",
		do: all(copied(shownAt("R1M1"), shownAt("R2M1")), copied(shownAt("R1M1"), kept1))},
	{name: "another match's record as this one's", of: namelessLeague, in: shownAt("R2M1"),
		want: "match_id: want R2M1, got R1M1",
		do: func(f *forger) {
			text := string(f.root[shownAt("R1M1")].Data)
			recorded(func(string) string { return text })(f)
		}},
	{name: "a record of a match that was not played", in: shownAt("R4M1"),
		want: "the journal has no result of such a match",
		do:   copied(shownAt("R2M1"), shownAt("R4M1"))},
	{name: "a record of an attempt that nobody was asked for", in: strings.Replace(kept1, ".1.", ".2.", 1),
		want: "attempt 2 at R2M1 was never assigned to REF01",
		do:   copied(kept1, strings.Replace(kept1, ".1.", ".2.", 1))},
	{name: "a record with a referee that was not asked", in: strings.Replace(kept1, "REF01", "REF02", 1),
		want: "attempt 1 at R2M1 was never assigned to REF02",
		do:   copied(kept1, strings.Replace(kept1, "REF01", "REF02", 1))},
	{name: "a record with a referee that there is not", in: strings.Replace(kept1, "REF01", "REF09", 1),
		want: "attempt 1 at R2M1 was never assigned to REF09",
		do:   copied(kept1, strings.Replace(kept1, "REF01", "REF09", 1))},
	{name: "a record that says two things", in: shownAt("R2M1"), want: `member "round_id" occurs twice`,
		do: recorded(func(text string) string {
			return edited(text, `"round_id": 2,`, `"round_id": 2, "round_id": 2,`)
		})},
	{name: "a record with a member that no reader knows", in: shownAt("R2M1"), want: `member "bribe" is unknown`,
		do: recorded(func(text string) string {
			return edited(text, `"round_id": 2,`, `"round_id": 2, "bribe": 2,`)
		})},
	{name: "a record with a member in capitals", in: shownAt("R2M1"),
		want: `member "Round_ID" is unknown: it is written "round_id"`,
		do: recorded(func(text string) string {
			return edited(text, `"round_id": 2,`, `"Round_ID": 2,`)
		})},
	{name: "a record that is no JSON", in: shownAt("R2M1"), want: "invalid character",
		do: recorded(func(text string) string { return text[1:] })},
	{name: "the record of a match that was not played", of: eventfulLeague, in: shownAt("R3M2"),
		want: `winner_player_id: want "P03", found "P02"`,
		do:   replace(shownAt("R3M2"), `"winner_player_id": "P03"`, `"winner_player_id": "P02"`)},
	{name: "a signature in the record alone", in: shownAt("R2M1"), want: "signed: want",
		do: func(f *forger) {
			f.result("R2M1", func(r *outcome, rec *record) {
				said := rec.Signed["P01"]
				said.Signature = zeros + zeros
				rec.Signed = map[string]protocol.SignedAnswers{"P01": said, "P03": rec.Signed["P03"]}
			})
		}},
	{name: "no signatures in the record", in: shownAt("R2M1"), want: "signed: want",
		do: func(f *forger) {
			f.result("R2M1", func(r *outcome, rec *record) { rec.Signed = nil })
		}},
}

// inTable changes a text in a table, whatever its value is.
func inTable(name, member, value string) forging {
	return func(f *forger) {
		f.t.Helper()
		text := string(f.root[name].Data)
		at := strings.Index(text, `"`+member+`": `)
		if at < 0 {
			f.t.Fatalf("%s has no %s", name, member)
		}
		at += len(`"` + member + `": `)
		end := at + strings.IndexAny(text[at:], ",\n")
		f.put(name, []byte(text[:at]+value+text[end:]))
	}
}

const (
	standings = logFolder + "standings.json"
	rounds    = logFolder + "rounds.json"
	agents    = logFolder + "agents.json"
)

// rows changes the rows of a table, each of which is a text.
func rows(name, list string, edit func(rows []string) []string) forging {
	return func(f *forger) {
		f.t.Helper()
		var table map[string]json.RawMessage
		f.must(json.Unmarshal(f.root[name].Data, &table))
		var all []json.RawMessage
		f.must(json.Unmarshal(table[list], &all))
		var texts []string
		for _, row := range all {
			texts = append(texts, string(row))
		}
		replace(name, string(table[list]), "[\n    "+strings.Join(edit(texts), ",\n    ")+"\n  ]")(f)
	}
}

// fewer, further and turned are changes of rows.
func fewer(rows []string) []string { return rows[1:] }

func further(rows []string) []string { return append(rows, rows[0]) }

func turned(rows []string) []string {
	first, second := rows[0], rows[1]
	rows[0] = strings.Replace(second, `"rank": 2`, `"rank": 1`, 1)
	rows[1] = strings.Replace(first, `"rank": 1`, `"rank": 2`, 1)
	return rows
}

var forgedTables = []forgery{
	{name: "another champion in the table", in: standings, want: `player_id: want "P0`,
		do: inTable(standings, "player_id", `"P09"`)},
	{name: "other points in the table", do: inTable(standings, "points", "99"), in: standings, want: ", found 99"},
	{name: "more results in the table", in: standings, want: "version: want 6, found 7",
		do: inTable(standings, "version", "7")},
	{name: "a player less in the table", in: standings, want: "rank: want 1, found 2",
		do: rows(standings, "standings", fewer)},
	{name: "a table in another order", in: standings, want: `player_id: want "P0`,
		do: rows(standings, "standings", turned)},
	{name: "no table", do: remove(standings), in: standings, want: "it cannot be read"},
	{name: "another winner in the rounds", do: inTable(rounds, "winner", `"P09"`), in: rounds, want: `, found "P09"`},
	{name: "another referee in the rounds", in: rounds, want: `, found "REF09"`,
		do: inTable(rounds, "referee_id", `"REF09"`)},
	{name: "another proof in the rounds", in: rounds, want: `proof: want "proven", found "judged"`,
		do: inTable(rounds, "proof", `"judged"`)},
	{name: "a round less in the rounds", do: rows(rounds, "rounds", fewer), in: rounds, want: "round_id: want 1, found 2"},
	{name: "another endpoint among the agents", in: agents, want: `, found "http://localhost:1/mcp"`,
		do: inTable(agents, "default_endpoint", `"http://localhost:1/mcp"`)},
	{name: "somebody out among the agents", in: agents, want: "active: want true, found false",
		do: inTable(agents, "active", "false")},
	{name: "a player less among the agents", in: agents, want: `player_id: want "P01", found "P02"`,
		do: rows(agents, "players", fewer)},
	{name: "a table that says two things", in: standings, want: "version: want 6",
		do: replace(standings, `"version": 6,`, `"version": 6, "version": 6,`)},
}

func TestForgedRecordsAreFound(t *testing.T) { areFound(t, forgedRecords, forgedTables) }
