package league

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/format"
	"agentleague/protocol"
)

// everySetting has a value for each setting of a schedule.
var everySetting = &format.Settings{
	Format: "swiss/1", Rounds: 7, Legs: 2, Seeding: "lot", Bye: "draw", Late: format.Late{Until: 3, Missed: "half"},
	Gauntlet:   format.Gauntlet{Challengers: 2},
	Knockout:   format.Knockout{BestOf: 3, Extra: 2, Decide: "lot", ThirdPlace: true},
	Ladder:     format.Ladder{RestAfter: 4, Season: "month", Matches: 9, Anchors: true},
	Withdrawal: format.Withdrawal{BeforeHalf: "keep"},
}

// every is one event of each kind, with all its fields.
var every = []Event{
	Created{1, "league", "even_odd", "5eed", true, 2, 3, true, protocol.DefaultScoring, Tiebreakers, 3, true, "c0ffee", "admin",
		"fe00", "v1.2.3", "abcdef", true, everySetting},
	Upgraded{2, "fe00", "v1.2.3", "abcdef", everySetting},
	Found{"P01", "challenge", "sig"},
	Epoch{"manager 1", "1.0.0"},
	Registered{
		protocol.RolePlayer, "P01", "P77", "Alice", "http://localhost:8101/mcp", "league.v2", "1.0.0", "v1.2.3 abcdef", []string{"even_odd"},
		2, "localhost:8101/mcp", "key", "agreement", &Welcomed{"http://localhost:8000/mcp", "c", "n", "hash", "sig"}, true, "Alice",
		"nonce", 4, "admin", true, "conv-1",
	},
	Invited{protocol.RolePlayer, "Alice", "admin"},
	Readmitted{"P01", "key", "localhost:8101/mcp", "admin"},
	Renamed{"P01", "Alice", "admin"},
	mergedEvent{"P04", "P11", "admin"},
	Contested{"R1M1", 1, "player:P01", protocol.ProtestMoves, "it chose odd"},
	Annulled{"R1M1", "the network was down", "admin"},
	AgentState{"P01", protocol.AgentSuspended, "silent"},
	DialectLearned{"P01", "b"},
	StartOrdered{"admin"},
	Started{[]string{"P01", "P02"}, []string{"P02", "P01"}, map[string]int{"P02": 1700}, map[string]int{"P02": 80}},
	RoundPaired{1, []Pairing{{A: "P01", B: "P02"}}, []string{"P03"}, []string{"P04"}, 2, 1, 3, map[string][2]int{"P01": {1500, 350}}},
	playerJoined{"P05", 3, 2, 1600, 90},
	playerRested{"P05", 2, "admin"},
	calendarSet{60, []string{"12:00-13:00"}, "Europe/Berlin", 30},
	RoundOpened{1},
	MatchAssigned{"R1M1", "REF01", 1},
	ResultRecorded{
		"R1M1", 1, "REF01", Result{Status: protocol.Win, Winner: "P01"}, "key", "hash",
		[]Moved{{Turn: 1, PlayerID: "P01", Move: json.RawMessage(`"even"`)}},
		map[string]protocol.SignedAnswers{"P01": {
			Head: "head", Answers: []protocol.SignedAnswer{{Turn: 1, View: "view", Move: `"even"`}}, Signature: "sig",
		}},
		map[string]protocol.Timing{"P01": {Tries: 2, AgentUS: 1500, OverheadUS: 125}},
		map[string]protocol.Usage{"P01": {Model: "m", Moves: 1, InputTokens: 9, OutputTokens: 2, LatencyUS: 80}}, "number 71 is outside 1 to 10", false,
	},
	RoundClosed{1},
	Announced{"round", 1},
	Paused{"admin"},
	Resumed{"admin"},
	Drained{"admin"},
	Withdrawn{"P01", "admin"},
	Completed{"5ec7e7"},
	Cancelled{DrawSecret: "5ec7e7", By: "admin"},
}

func TestEveryEventComesBackFromTheLogAsItWas(t *testing.T) {
	seen := map[string]bool{}
	at := time.Date(2025, 1, 15, 10, 30, 0, 123456789, time.FixedZone("east", 3600))
	for _, e := range every {
		line, err := EncodeEvent(at, e)
		if err != nil {
			t.Fatal(err)
		}
		seen[line.Kind] = true
		data, err := json.Marshal([]EncodedEvent{line, line})
		if own := EncodeBatch([]EncodedEvent{line, line}); err != nil || string(own) != string(data) {
			t.Errorf("%s: got %s, %v\nwant %s", line.Kind, own, err, data)
		}
		if plain, err := json.Marshal(e); err != nil || string(line.Event) != string(plain) {
			t.Errorf("%s: got %s, %v\nwant %s", line.Kind, line.Event, err, plain)
		}
		data, err = json.Marshal([]EncodedEvent{line})
		if err != nil {
			t.Fatal(err)
		}
		when, got, err := decodeBoth(t, data)
		if err != nil || !when.Equal(at) || !reflect.DeepEqual(got, []Event{e}) {
			t.Errorf("%s: got %v, %+v, %v, want %v, %+v", line.Kind, when, got, err, at, e)
		}
		e.event()
	}
	for kind := range kinds {
		if !seen[kind] {
			t.Errorf("no event of kind %s is tested", kind)
		}
	}
}

// decodeBoth decodes an entry with the strict decoder of verification and with the manager's decoder, and compares the
// results.
func decodeBoth(t *testing.T, data []byte) (at time.Time, events []Event, err error) {
	t.Helper()
	at, events, err = DecodeBatch(data)
	when, lean, leanErr := DecodeLean(data)
	if (err == nil) != (leanErr == nil) || !when.Equal(at) || len(lean) != len(events) {
		t.Errorf("%s: read as %v, %v; lean as %v, %v", data, events, err, lean, leanErr)
		return at, events, err
	}
	for i, e := range events {
		if want, got := unsigned(e), unsigned(lean[i]); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read as %+v; lean as %+v", data, want, got)
		}
	}
	return at, events, err
}

// unsigned returns an event without the signed content, but with the ids of the signers.
func unsigned(e Event) any {
	type result struct {
		ResultRecorded
		signers map[string]bool
	}
	switch r := e.(type) {
	case leanResult:
		out := result{r.result(), map[string]bool{}}
		out.Timing, out.Result.Choices, out.spared = r.Timing.Map(), r.Result.Choices.Map(), false
		for _, s := range r.Signed {
			out.signers[s.Name] = true
		}
		return out
	case ResultRecorded:
		out := result{r, map[string]bool{}}
		for id := range r.Signed {
			out.signers[id] = true
		}
		out.Signed = nil
		return out
	}
	return e
}

// TestALeanResultHasTheMembersOfAResult checks that the type for a manager's state has all members of a result, in the
// order of encoding, which is decoded fastest.
func TestALeanResultHasTheMembersOfAResult(t *testing.T) {
	members := func(t reflect.Type) (out []string) {
		for _, f := range reflect.VisibleFields(t) {
			if tag := f.Tag.Get("json"); tag != "" {
				out = append(out, tag)
			}
		}
		return out
	}
	for whole, lean := range map[reflect.Type]reflect.Type{
		reflect.TypeFor[ResultRecorded](): reflect.TypeFor[leanResult](), reflect.TypeFor[Result](): reflect.TypeFor[leanOutcome](),
	} {
		if want, got := members(whole), members(lean); !slices.Equal(got, want) {
			t.Errorf("%v has %q, and %v has %q", lean, got, whole, want)
		}
	}
}

func TestBrokenEntriesAreNamed(t *testing.T) {
	for data, want := range map[string]string{
		``:       "log entry: unexpected end of JSON input",
		`junk`:   "log entry: invalid character 'j'",
		`{}`:     "log entry: json: cannot unmarshal object",
		`[]`:     "log entry: it holds no events",
		`null`:   "log entry: it holds no events",
		`[null]`: `log entry: unknown event ""`,
		`["x"]`:  "log entry: json: cannot unmarshal string",
		`[{"kind":"LeagueMoved","at":"2025-01-01T00:00:00Z","event":{}}]`:             `log entry: unknown event "LeagueMoved": a newer version wrote this log`,
		`[{"kind":"Paused","event":{}}]`:                                              "log entry: Paused: it has no time",
		`[{"kind":"Paused","at":"yesterday","event":{}}]`:                             "log entry: parsing time",
		`[{"kind":"Paused","at":"2025-01-01T00:00:00Z"}]`:                             "log entry: Paused: it has no event",
		`[{"kind":"RoundOpened","at":"2025-01-01T00:00:00Z","event":{"round":"1"}}]`:  "log entry: RoundOpened: json: cannot unmarshal string",
		`[{"kind":"Paused","at":"2025-01-01T00:00:00Z","event":{}},{"kind":"Chaos"}]`: `log entry: unknown event "Chaos"`,
	} {
		_, events, err := decodeBoth(t, []byte(data))
		if err == nil || !strings.Contains(err.Error(), want) || events != nil {
			t.Errorf("%s: got %v, %v, want %q", data, events, err, want)
		}
	}
}

// TestALogSaysOneThingToEveryReader: a line that another program would decode differently, or not at all, is an error
// that names the member.
func TestALogSaysOneThingToEveryReader(t *testing.T) {
	const at = `"at":"2025-01-01T00:00:00Z"`
	for data, want := range map[string]string{
		`[{"kind":"RoundOpened",` + at +
			`,"event":{"round":1,"colour":"red"}}]`: `RoundOpened: member "colour" is unknown`,
		`[{"kind":"RoundOpened",` + at +
			`,"event":{"round":1},"by":"x"}]`: `member "by" is unknown`,
		`[{"kind":"RoundOpened",` + at +
			`,"event":{"round":1,"round":2}}]`: `member "event.round" occurs twice`,
		`[{"kind":"RoundOpened",` + at +
			`,"event":{"round":1,"\u0072ound":2}}]`: `member "event.round" occurs twice`,
		`[{"kind":"RoundOpened",` + at +
			`,"event":{"Round":1}}]`: `RoundOpened: member "Round" is unknown: it is written "round"`,
		`[{"kind":"RoundOpened",` + at +
			`,"event":{"round":1},"event":{"round":2}}]`: `member "event" occurs twice`,
		`[{"kind":"RoundOpened","Kind":"RoundClosed",` + at +
			`,"event":{"round":1}}]`: `member "Kind" is unknown: it is written "kind"`,
		`[{"kind":"RoundOpened",` + at +
			`,"event":{"round":1}}] []`: "invalid character '['",
		`[{"kind":"ResultRecorded",` + at +
			`,"event":{"match":"R1M1","attempt":1,"result":{"Winner":"P01"}}}]`: `ResultRecorded: member "result.Winner" is unknown: it is written "winner"`,
		`[{"kind":"ResultRecorded",` + at +
			`,"event":{"result":{"choices":{"P01":"odd","P01":"even"}}}}]`: `member "event.P01" occurs twice`,
		`[{"kind":"ResultRecorded",` + at +
			`,"event":{"match":"R1M1","attempt":1,"result":{},"signed":{"P01":{"Head":"x"}}}}]`: `member "signed.P01.Head" is unknown: it is written "head"`,
		`[{"kind":"ResultRecorded",` + at +
			`,"event":{"match":"R1M1","attempt":1,"result":{},"signed":{"P01":{"head":"x"},"P01":{"head":"x"}}}}]`: `member "event.P01" occurs twice`,
		`[{"kind":"ResultRecorded",` + at +
			`,"event":{"moves":[{"turn":1,"move":{"a":1,"a":2}}]}}]`: `occurs twice`,
		`[{"kind":"RoundOpened",` + at +
			`,"event":{"round":1}},{"kind":"RoundClosed","at":"2025-01-01T00:00:01Z","event":{"round":1}}]`: "RoundClosed: it has another time than the event before it",
		"[{\"kind\":\"Paused\"," + at + ",\"event\":{\"by\":\"\xff\"}}]": "not UTF-8",
	} {
		_, events, err := decodeBoth(t, []byte(data))
		if err == nil || !strings.Contains(err.Error(), want) || events != nil {
			t.Errorf("%s: got %v, %v, want %q", data, events, err, want)
		}
	}
	// The order of members does not matter.
	_, events, err := decodeBoth(t, []byte(`[{"event":{"round":1},`+at+`,"kind":"RoundOpened"}]`))
	if err != nil || !reflect.DeepEqual(events, []Event{RoundOpened{1}}) {
		t.Errorf("in another order: got %v, %v", events, err)
	}
}

func TestTimeThatRunsBackwardsIsNamedWithItsLine(t *testing.T) {
	line := func(at, kind, event string) []byte {
		return []byte(`[{"kind":"` + kind + `","at":"` + at + `","event":` + event + `}]`)
	}
	log := [][]byte{
		line("2025-01-01T00:00:02Z", "LeagueCreated",
			`{"schema":1,"league_id":"l","game_type":"g","cycles":1,"tiebreakers":[],"max_consecutive_forfeits":0,"draw_commitment":""}`),
		line("2025-01-01T00:00:02Z", "Paused", `{}`),
		line("2025-01-01T00:00:01.999999999Z", "Resumed", `{}`),
	}
	if _, err := Fold(entries(log[:2])); err != nil {
		t.Errorf("two lines at one time: %v", err)
	}
	_, err := Fold(entries(log))
	if err == nil ||
		!strings.Contains(err.Error(),
			"line 3: time runs backwards: Resumed at 2025-01-01T00:00:01.999999999Z, after an event at 2025-01-01T00:00:02Z") {
		t.Errorf("got %v", err)
	}
}

func TestEventThatCannotBeWrittenIsAnError(t *testing.T) {
	twice := ResultRecorded{Result: Result{Choices: map[string]json.RawMessage{"P01": json.RawMessage(`{"a":1,"a":2}`)}}}
	if _, err := EncodeEvent(time.Now(), twice); err == nil || !strings.Contains(err.Error(), `"a" occurs twice`) {
		t.Errorf("got %v", err)
	}
	bad := ResultRecorded{Result: Result{Choices: map[string]json.RawMessage{"P01": json.RawMessage("{")}}}
	if _, err := EncodeEvent(time.Now(), bad); err == nil || !strings.Contains(err.Error(),
		"encode league.ResultRecorded") {
		t.Errorf("got %v", err)
	}
}
