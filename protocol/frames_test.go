package protocol

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestQuickTakesNoOtherFrames(t *testing.T) {
	over, err := Encode(examplesByType(t)[TypeGameOver])
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`{"jsonrpc":"2.0","method":"notify_match_result","params":%,"id":1}`:                                true,
		`{"id":"a", "jsonrpc":"2.0", "method":"notify_match_result" ,"params": % }`:                         true,
		`{"jsonrpc":"2.0","method":"notify_match_result","params":%}`:                                       false,
		`{"jsonrpc":"1.0","method":"notify_match_result","params":%,"id":1}`:                                false,
		`{"method":"notify_match_result","params":%,"id":1}`:                                                false,
		`{"jsonrpc":"2.0","jsonrpc":"2.0","method":"notify_match_result","params":%,"id":1}`:                false,
		`{"jsonrpc":"2.0","method":"notify_match_result","method":"notify_match_result","params":%,"id":1}`: false,
		`{"jsonrpc":"2.0","method":"notify_match_result","params":%,"id":1,"id":2}`:                         false,
		`{"jsonrpc":"2.0","method":"notify_match_result","params":%,"params":%,"id":1}`:                     false,
		`{"jsonrpc":"2.0","method":"choose_parity","params":%,"id":1}`:                                      false,
		`{"jsonrpc":"2.0","method":"notify_match_result","params":%,"id":true}`:                             false,
		`{"jsonrpc":"2.0","method":"notify_match_result","params":%,"id":1.5}`:                              false,
		`{"jsonrpc":"2.0","method":"notify_match_result","params":[%],"id":1}`:                              false,
		`{"jsonrpc":"2.0","method":"notify_match_result","params":%,"id":1} x`:                              false,
		`{"jsonrpc":"2.0","method":"notify_match_result","params":%,"id":1,"Method":"notify_match_result"}`: false,
		`[{"jsonrpc":"2.0","method":"notify_match_result","params":%,"id":1}]`:                              false,
	} {
		r, ok := ReadRequest([]byte(strings.ReplaceAll(text, "%", string(over))))
		if ok != want {
			t.Errorf("%s: got %v, want %v", text, ok, want)
		}
		if ok && (r.Method != "notify_match_result" || string(r.Params) != string(over) ||
			r.Message.Head().MessageType != TypeGameOver || len(r.ID) == 0) {
			t.Errorf("%s: got %+v", text, r)
		}
	}
}

// The caller may reuse a decoded body: the message does not change.
func TestAMessageKeepsNothingOfTheBodyItCameIn(t *testing.T) {
	for typ, m := range examplesByType(t) {
		if plans[typ] == nil {
			continue
		}
		raw, err := Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		spec, _ := Lookup(typ)
		if spec.Method != "" {
			body, err := WriteRequest(nil, m, 7)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := ReadRequest(bytes.Clone(body))
			got, ok := ReadRequest(body)
			poison(body)
			if !ok || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %+v, want %+v", typ, got, want)
			}
		}
		body, err := WriteResult(nil, m, []byte("7"))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := KeepResult(body, typ)
		again, err := Encode(got)
		if !ok || err != nil || !bytes.Equal(again, raw) || !bytes.Equal(got.Head().Source(), raw) {
			t.Errorf("%s: got %s, want %s", typ, again, raw)
		}
	}
}

// poison overwrites a buffer as its next user may.
func poison(buffer []byte) {
	for i := range buffer {
		buffer[i] = '!'
	}
}

func TestFramesOfOursAreWrittenAsTheyAreRead(t *testing.T) {
	for typ, m := range examplesByType(t) {
		raw, err := Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		spec, _ := Lookup(typ)
		body, err := WriteRequest(nil, m, 12)
		want := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s,"id":12}`, spec.Method, raw)
		if err != nil || string(body) != want {
			t.Errorf("got %s, %v\nwant %s", body, err, want)
		}
		body, err = WriteResult(nil, m, []byte(`"a"`))
		want = fmt.Sprintf(`{"id":"a","jsonrpc":"2.0","result":%s}`, raw)
		if err != nil || string(body) != want {
			t.Errorf("got %s, %v\nwant %s", body, err, want)
		}
	}
}

// few is how many objects a message of ours may be read and written with, where it is not 5 and 2.
var few = map[Type]struct{ read, write float64 }{
	TypeGameOver:          {6, 1},  // two maps are four of them
	TypeMatchResultReport: {16, 3}, // four maps, the answers and moves of two players
	TypeGameMoveCall:      {9, 8},  // a context of any kind, which encoding/json compacts
	TypeMatchRecords:      {8, 8},  // the same
}

func TestMessagesOfAMatchMakeFewObjects(t *testing.T) {
	for typ, m := range examplesByType(t) {
		if plans[typ] == nil {
			continue
		}
		most, known := few[typ]
		if !known {
			most.read, most.write = 5, 2
		}
		body, err := WriteResult(nil, m, []byte("7"))
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { KeepResult(bytes.Clone(body), typ) }); n > most.read {
			t.Errorf("%s: read with %v objects, want at most %v", typ, n, most.read)
		}
		if n := testing.AllocsPerRun(100, func() { _, _ = WriteResult(nil, m, []byte("7")) }); n > most.write {
			t.Errorf("%s: written with %v objects, want at most %v", typ, n, most.write)
		}
	}
}

func TestAnEntryOfAHistoryKeepsNothingOfTheMessage(t *testing.T) {
	drawn := 8
	entry := PlayerMatch{
		MatchID: "R1M1", OpponentID: "P02", Result: Win, MyChoice: text("even"), OpponentChoice: nil,
		DrawnNumber: Present(drawn), Attempt: 1,
	}
	raw := bytes.Clone(entry.MyChoice)
	entry.MyChoice = raw
	number := entry.DrawnNumber.Value
	got := entry.Clone()
	if !reflect.DeepEqual(got, entry) {
		t.Errorf("got %+v, want %+v", got, entry)
	}
	poison(raw)
	*number = 9
	if string(got.MyChoice) != `"even"` || *got.DrawnNumber.Value != drawn || got.OpponentChoice != nil {
		t.Errorf("the copy has changed with the message: %+v", got)
	}
	if n := testing.AllocsPerRun(100, func() { entry.Clone() }); n > 2 {
		t.Errorf("%v objects, want 2", n)
	}
}
