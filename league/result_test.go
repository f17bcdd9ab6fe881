package league

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"agentleague/protocol"
)

// reported decodes the result of a report as it comes from the wire.
func reported(t *testing.T, text string) (r protocol.ReportedResult) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEveryWayOfWritingAResultIsUnderstood(t *testing.T) {
	won := Result{Status: protocol.Win, Winner: "P01"}
	lost := Result{Status: protocol.Win, Winner: "P02"}
	drawn := Result{Status: protocol.Draw}
	forfeited := Result{Status: protocol.TechnicalLoss, Winner: "P02", Forfeits: map[string]string{"P01": ""}}
	both := Result{Status: protocol.TechnicalLoss, Forfeits: map[string]string{"P01": "", "P02": ""}}
	for _, c := range []struct {
		text string
		want Result
	}{
		{`{"winner":"P01"}`, won},
		{`{"winner":"P01","score":{"P01":3,"P02":0}}`, won},
		{`{"winner":"P01","details":{"status":"WIN"}}`, won},
		{`{"winner":"P01","details":{"status":"completed"}}`, won},
		{`{"winner":"PLAYER_A"}`, won},
		{`{"winner":"PLAYER_B","score":{"PLAYER_A":0,"PLAYER_B":3}}`, lost},
		{`{"winner":"player:P02"}`, lost},
		{`{}`, drawn},
		{`{"winner":null}`, drawn},
		{`{"winner":""}`, drawn},
		{`{"winner":"null"}`, drawn},
		{`{"winner":"NONE","score":{"P01":1,"P02":1}}`, drawn},
		{`{"winner":"DRAW"}`, drawn},
		{`{"winner":"TIE","score":{"P01":0,"P02":0}}`, drawn},
		{`{"winner":"DRAW","details":{"status":"FINISHED"}}`, drawn},
		{`{"winner":null,"score":{"P01":1,"P02":1}}`, drawn},
		{`{"winner":null,"score":{"P01":1.5,"P02":1.5}}`, drawn},
		{`{"winner":null,"score":{"P01":"a","P02":"b"}}`, drawn},
		{`{"winner":null,"score":{"P01":null,"P02":null}}`, drawn},
		{`{"winner":null,"score":{"P01":0,"P02":0},"details":{"status":"DRAW"}}`, drawn},
		{`{"winner":null,"score":{"P01":0,"P02":0},"details":{"status":"draw"}}`, drawn},
		{`{"winner":null,"score":{"P01":0,"P02":0}}`, both},
		{`{"winner":null,"details":{"status":"TECHNICAL_LOSS"}}`, both},
		{`{"winner":"P02","details":{"status":"technical_loss"}}`, forfeited},
		{`{"winner":"PLAYER_B","details":{"status":"TECHNICAL_LOSS"}}`, forfeited},
	} {
		got, err := normalise(reported(t, c.text), "P01", "P02")
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v, want %+v", c.text, got, err, c.want)
		}
	}
}

func TestResultKeepsDrawChoicesAndForfeits(t *testing.T) {
	got, err := normalise(reported(t, `{"winner":"P02","details":{"status":"TECHNICAL_LOSS","drawn_number":8,
		"choices":{"P01":null,"P02": {"b": 1.0, "a":"<"}},"forfeits":{"P01":"E001","P02":"E004","P77":"E000"}}}`), "P01", "P02")
	eight := 8
	want := Result{
		Status: protocol.TechnicalLoss, Winner: "P02", Drawn: &eight, Forfeits: map[string]string{"P01": "E001"},
		Choices: map[string]json.RawMessage{"P02": json.RawMessage(`{"a":"\u003c","b":1.0}`)},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

func TestContradictoryResultsAreRefused(t *testing.T) {
	for text, field := range map[string]string{
		`{"winner":"P77"}`: "result.winner",
		`{"winner":"p01"}`: "result.winner",
		`{"winner":"` + strings.Repeat("x", 9_000) + `"}`:                       "result.winner",
		`{"winner":"P01","details":{"status":"DRAW"}}`:                          "result.details.status",
		`{"winner":null,"details":{"status":"WIN"}}`:                            "result.details.status",
		`{"winner":"P01","score":{"P01":0,"P02":3}}`:                            "result.score",
		`{"winner":"PLAYER_B","score":{"P01":1,"P02":0}}`:                       "result.score",
		`{"winner":null,"score":{"P01":3,"P02":0}}`:                             "result.score",
		`{"winner":"DRAW","score":{"P01":1,"P02":0}}`:                           "result.score",
		`{"winner":null,"score":{"P01":0,"P02":3},"details":{"status":"DRAW"}}`: "result.score",
	} {
		_, err := normalise(reported(t, text), "P01", "P02")
		if e := protocol.AsError(err); e.Kind != protocol.InvalidMessage || e.Context["field"] != field ||
			len(e.Detail) > 300 {
			t.Errorf("%.80s: got %v, want E002 about %s", text, err, field)
		}
	}
}

func TestSameResultsAreEqualAfterNormalising(t *testing.T) {
	base := `{"winner":"P01","score":{"P01":3,"P02":0},"details":{"drawn_number":8,"choices":{"P01":"even","P02":"odd"},"status":"WIN"}}`
	for text, want := range map[string]bool{
		base: true,
		`{"winner":"PLAYER_A","details":{"drawn_number":8,"choices":{"P02": "odd" , "P01":"even"}}}`:                            true,
		`{"winner":"P01","details":{"drawn_number":8,"choices":{"P01":"\u0065ven","P02":"odd"}}}`:                               true,
		`{"winner":"P02","details":{"drawn_number":8,"choices":{"P01":"even","P02":"odd"}}}`:                                    false,
		`{"winner":"DRAW","details":{"drawn_number":8,"choices":{"P01":"even","P02":"odd"}}}`:                                   false,
		`{"winner":"P01","details":{"drawn_number":6,"choices":{"P01":"even","P02":"odd"}}}`:                                    false,
		`{"winner":"P01","details":{"choices":{"P01":"even","P02":"odd"}}}`:                                                     false,
		`{"winner":"P01","details":{"drawn_number":8,"choices":{"P01":"even","P02":"even"}}}`:                                   false,
		`{"winner":"P01","details":{"drawn_number":8,"choices":{"P01":"even"}}}`:                                                false,
		`{"winner":"P01","details":{"drawn_number":8,"choices":{"P01":"even","P02":"odd"},"status":"TECHNICAL_LOSS"}}`:          false,
		`{"winner":"P01","details":{"drawn_number":8,"choices":{"P01":"even","P02":"odd","P03":null}}}`:                         true,
		`{"winner":"P01","details":{"drawn_number":8,"choices":{"P01":"even","P02":"odd"},"forfeits":{"P02":"not forfeited"}}}`: true,
	} {
		one, err1 := normalise(reported(t, base), "P01", "P02")
		two, err2 := normalise(reported(t, text), "P01", "P02")
		if err1 != nil || err2 != nil || one.same(two) != want || two.same(one) != want {
			t.Errorf("%s: same is %v, %v, want %v (%v, %v)", text, one.same(two), two.same(one), want, err1, err2)
		}
	}
}

// A state holds results for as long as the league is in memory: they must not hold the reports that they came in.
func TestARecordedResultIsApartFromItsReport(t *testing.T) {
	drawn := 8
	even, odd := json.RawMessage(`"even"`), json.RawMessage(`"odd"`)
	told := ResultRecorded{
		Match: "R1M1", Attempt: 1, DrawKey: "00", RecordSHA256: "ff", Moves: []Moved{{PlayerID: "P01", Move: even}},
		Result: Result{
			Status: protocol.TechnicalLoss, Drawn: &drawn, Forfeits: map[string]string{"P02": "E001"},
			Choices: map[string]json.RawMessage{"P01": even, "P02": odd},
		},
	}
	got := told.detachedCopy()
	if !reflect.DeepEqual(got, told) {
		t.Fatalf("got %+v, want %+v", got, told)
	}
	copy(even, `"ODD!"`)
	copy(odd, `"ODD"`)
	drawn = 3
	if string(got.Moves[0].Move) != `"even"` || string(got.Result.Choices["P01"]) != `"even"` ||
		string(got.Result.Choices["P02"]) != `"odd"` || *got.Result.Drawn != 8 {
		t.Errorf("it has changed with the report: %+v", got)
	}
}
