package profile_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"testing"
	"time"

	"agentleague/dialect"
	"agentleague/dialect/profile"
	"agentleague/protocol"
)

// A documented message is an example of a document.
type documented struct {
	Document, Section string
	Message           json.RawMessage
}

func (d documented) String() string {
	var head protocol.Envelope
	_ = json.Unmarshal(d.Message, &head)
	return fmt.Sprintf("%s §%s %s", d.Document, d.Section, head.MessageType)
}

func readDocuments(t *testing.T) (all []documented) {
	t.Helper()
	f, err := os.Open("../../protocol/testdata/documents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var d documented
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// profileOf is the profile of each document, by its file in testdata.
var profileOf = map[string]string{"000": "api", "001": "assignment", "002": "assignment", "003": "page", "004": "contracts"}

// contradicted are the examples that another section of their document contradicts. Each of their members is as in the
// profile, or else as in the default.
var contradicted = map[string]string{
	"001 §2.9.2 GAME_ERROR":              "section 8.10.2: retry_count begins at 0",
	"001 §4.10.1 LEAGUE_ERROR":           "section 2.9.1: error_description is a sentence",
	"001 §4.10.2 GAME_ERROR":             "sections 2.9.2 and 8.10.2: a sentence, and retry_count begins at 0",
	"001 §8.10.1 LEAGUE_ERROR":           "section 2.9.1: error_description is a sentence",
	"001 §8.10.2 GAME_ERROR":             "section 2.9.2: error_description is a sentence",
	"002 §2.9.2 GAME_ERROR":              "as 001",
	"004 §2.1 REFEREE_REGISTER_RESPONSE": "the same section: a refusal is an error",
}

// Every example of every document is read, and our own message of the same content, written in the profile of the document,
// has every member of the example with its value.
func TestEveryExampleIsReadAndWrittenInItsProfile(t *testing.T) {
	t.Parallel()
	all := readDocuments(t)
	if len(all) < 96 {
		t.Fatalf("read %d examples, want all", len(all))
	}
	for _, d := range all {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			name, want := profileOf[d.Document], object(t, d.Message)
			got := d.written(t, profile.New(name, "league_2025_even_odd"), want)
			if contradicted[d.String()] != "" {
				otherwise := d.written(t, nil, want)
				maps.DeleteFunc(want, func(member string, v any) bool { return reflect.DeepEqual(otherwise[member], v) })
			}
			contains(t, name, want, got)
		})
	}
}

// written returns the message as an agent with the token of the example writes it.
func (d documented) written(t *testing.T, s *profile.Speaker, example map[string]any) map[string]any {
	t.Helper()
	m, _, err := dialect.Read(d.Message, protocol.Reading{Now: time.Now(), Conversation: "conv-1", Reply: true})
	if err != nil {
		t.Fatal(err)
	}
	spec, _ := protocol.Lookup(m.Head().MessageType)
	if token, ok := example["auth_token"].(string); ok && !isAdmission(m) {
		s.Read(protocol.TypeLeagueRegisterRequest, frame(t, map[string]any{"result": map[string]any{"auth_token": token}}))
		m.Head().AuthToken = "tok_match_of_this_match"
	}
	if s == nil {
		m.Head().AuthToken, _ = example["auth_token"].(string)
	}
	asOurs(m, s)
	body := map[string]any{"jsonrpc": "2.0", "id": 1, "method": spec.Method, "params": m}
	out := object(t, s.Request(spec.Type, frame(t, body)))["params"]
	if spec.Reply == "" && spec.Method == "" {
		out = object(t, s.Answer("", frame(t, map[string]any{"jsonrpc": "2.0", "id": 1, "result": m})))["result"]
	}
	members, _ := out.(map[string]any)
	return members
}

// asOurs gives an error the description and the count of our own messages.
func asOurs(m protocol.Message, s *profile.Speaker) {
	switch e := m.(type) {
	case *protocol.LeagueError:
		kind, known := protocol.KindIn("even_odd", e.ErrorName)
		if e.ErrorDescription != e.ErrorName {
			e.Detail = e.ErrorDescription
		}
		if known {
			e.ErrorCode, e.ErrorName, e.ErrorDescription = kind.Code, kind.Name, kind.Name
		}
		e.ErrorMessage = e.ErrorName
	case *protocol.GameError:
		if e.ErrorDescription != e.ErrorName {
			e.Detail, e.ErrorDescription = e.ErrorDescription, e.ErrorName
		}
		if s != nil && s.Name == "assignment" && e.RetryCount == 0 {
			e.RetryCount, e.Retryable = 1, true
		}
	}
}

func isAdmission(m protocol.Message) bool {
	switch m.(type) {
	case *protocol.LeagueRegisterResponse, *protocol.RefereeRegisterResponse:
		return true
	}
	return false
}

func frame(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func object(t *testing.T, text []byte) (m map[string]any) {
	t.Helper()
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return m
}

// contains demands that got has every member of want at every depth, with its value.
func contains(t *testing.T, path string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		in, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s: got %v, want an object", path, got)
		}
		for name, v := range want {
			if _, there := in[name]; !there {
				t.Errorf("%s.%s is missing", path, name)
				continue
			}
			contains(t, path+"."+name, v, in[name])
		}
	case []any:
		in, ok := got.([]any)
		if !ok || len(in) != len(want) {
			t.Errorf("%s: got %v, want %v", path, got, want)
			return
		}
		for i := range want {
			contains(t, fmt.Sprintf("%s[%d]", path, i), want[i], in[i])
		}
	default:
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}
