package dialect

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/protocol"
)

var update = flag.Bool("update", false,
	"write the conversations of testdata and the tables of docs/guide/interop.md anew")

var arrival = time.Date(2025, 1, 15, 12, 0, 0, 0, time.UTC)

// Constants of the example league.
const (
	exLeague     = "league_2025_even_odd"
	exGame       = "even_odd"
	exManagerURL = "http://localhost:8000/mcp"
	exRefereeURL = "http://localhost:8001/mcp"
	exPlayer1URL = "http://localhost:8101/mcp"
	exPlayer2URL = "http://localhost:8102/mcp"
)

// examples returns the messages of doc/message-examples, at least one of each type. If a type has several, the one
// whose file has its name comes first.
func examples(t testing.TB) []protocol.Message {
	t.Helper()
	files, err := exampleFiles()
	if err != nil {
		t.Fatal(err)
	}
	var out []protocol.Message
	for _, raw := range files {
		out = append(out, made(t, raw))
	}
	return out
}

// exampleFiles reads the messages of the examples.
var exampleFiles = sync.OnceValues(func() (out []json.RawMessage, err error) {
	var files []exampleFile
	root := os.DirFS("../doc/message-examples")
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		var framed struct {
			Params, Result json.RawMessage
			Error          struct{ Data json.RawMessage }
		}
		if err := json.Unmarshal(text, &framed); err != nil {
			return err
		}
		var message bytes.Buffer
		if err := json.Compact(&message, slices.Concat(framed.Params, framed.Result, framed.Error.Data)); err != nil {
			return err
		}
		f := exampleFile{message: message.Bytes()}
		switch {
		case framed.Error.Data != nil:
			f.rank = 2
		case !strings.EqualFold(path.Base(name), string(typeOf(f.message))+".json"):
			f.rank = 1
		}
		files = append(files, f)
		return nil
	})
	slices.SortStableFunc(files, func(a, b exampleFile) int { return cmp.Compare(a.rank, b.rank) })
	for _, f := range files {
		out = append(out, f.message)
	}
	return out, err
})

// An exampleFile is a message, and how far behind others of its type it is.
type exampleFile struct {
	message json.RawMessage
	rank    int // 0: its file is named after its type; 2: it is the error of another
}

func typeOf(raw json.RawMessage) protocol.Type {
	var m struct {
		Type protocol.Type `json:"message_type"`
	}
	_ = json.Unmarshal(raw, &m)
	return m.Type
}

// made returns a message of ours with the content of raw and without a source.
func made(t testing.TB, raw json.RawMessage) protocol.Message {
	t.Helper()
	spec, ok := protocol.Lookup(typeOf(raw))
	if !ok {
		t.Fatalf("%s: no such message", raw)
	}
	m := spec.New()
	if err := json.Unmarshal(raw, m); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return m
}

// exampleOf returns the true message of a type.
func exampleOf(t testing.TB, typ protocol.Type) protocol.Message {
	t.Helper()
	if typ == protocol.TypeAssignments {
		wide, err := Wide(exampleOf(t, protocol.TypeStartMatch).(*protocol.StartMatch))
		if err != nil {
			t.Fatal(err)
		}
		return &protocol.Assignments{Envelope: protocol.Envelope{
			Protocol: protocol.Version, MessageType: protocol.TypeAssignments, Sender: protocol.Manager,
			Timestamp: "2025-01-15T10:14:55Z", ConversationID: "conv-assigned", LeagueID: exLeague,
		}, Matches: []json.RawMessage{wide}}
	}
	files, err := exampleFiles()
	for _, raw := range files {
		if typeOf(raw) == typ {
			return made(t, raw)
		}
	}
	t.Fatalf("there is no example of %s: %v", typ, err)
	return nil
}

// with returns the example of a type with one member changed, or left out if the value is "".
func with(t testing.TB, typ protocol.Type, path, value string) json.RawMessage {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(encoded(t, exampleOf(t, typ)), &v); err != nil {
		t.Fatal(err)
	}
	at, names := v, strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		at = at[name].(map[string]any)
	}
	if last := names[len(names)-1]; value == "" {
		delete(at, last)
	} else {
		at[last] = json.RawMessage(value)
	}
	return marshalOr(v, nil)
}

func encoded(t testing.TB, m protocol.Message) json.RawMessage {
	t.Helper()
	raw, err := protocol.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// inOurWords returns the encoding of m's struct, without the members that only its source has.
func inOurWords(t testing.TB, m protocol.Message) json.RawMessage {
	t.Helper()
	spec, _ := protocol.Lookup(m.Head().MessageType)
	raw, err := json.Marshal(m)
	bare := spec.New()
	if err := cmp.Or(err, json.Unmarshal(raw, bare)); err != nil {
		t.Fatal(err)
	}
	return encoded(t, bare)
}

// sorted writes raw with its members in order and its numbers as they are.
func sorted(t testing.TB, raw []byte) string {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return string(marshalOr(v, nil))
}

// A documented message is an example of one of the documents that describe
// league.v2. The file has all that are whole. Left out are the envelopes with
// placeholders for values, the envelope without a payload, a log line that has
// a message_type, and the excerpt of [TestExcerptIsRefused].
type documented struct {
	Document, Section string
	Message           json.RawMessage
}

func (d documented) String() string {
	return d.Document + " §" + d.Section + " " + string(typeOf(d.Message))
}

func readDocuments(t testing.TB) []documented {
	t.Helper()
	f, err := os.Open("../protocol/testdata/documents.jsonl")
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
