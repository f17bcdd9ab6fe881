package protocol

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var arrival = time.Date(2025, 1, 15, 12, 0, 0, 0, time.UTC)

// A documented message is an example of one of the documents that describe
// league.v2. testdata/documents.jsonl has all that are whole; package dialect
// understands each of them.
type documented struct {
	Document, Section string
	Message           json.RawMessage
}

func (d documented) String() string {
	var m struct {
		Type Type `json:"message_type"`
	}
	_ = json.Unmarshal(d.Message, &m)
	return fmt.Sprintf("%s §%s %s", d.Document, d.Section, m.Type)
}

func (d documented) typ() Type { return Type(d.String()[strings.LastIndexByte(d.String(), ' ')+1:]) }

func readDocuments(t testing.TB) []documented {
	f, err := os.Open("testdata/documents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []documented
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var d documented
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	if len(all) < 90 {
		t.Fatalf("read %d documented messages, want all of them", len(all))
	}
	return all
}

func parse(t testing.TB, raw []byte) any {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}
