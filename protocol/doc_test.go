package protocol

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files of doc that follow from the code")

const docRoot = "../doc"

// TestDocumentedExamplesFollowFromTheCode compares doc/message-examples with the examples of this package.
//
//	go test ./protocol -run TestDocumentedExamplesFollowFromTheCode -update
func TestDocumentedExamplesFollowFromTheCode(t *testing.T) {
	files, root := exampleFiles(t), filepath.Join(docRoot, "message-examples")
	if *update {
		writeFiles(t, root, files)
	}
	compareFiles(t, root, files)
}

// exampleFiles frames every example as it goes over the wire.
func exampleFiles(t *testing.T) map[string][]byte {
	files := map[string][]byte{}
	for _, e := range examples() {
		raw, err := Encode(e.message)
		if err != nil {
			t.Fatalf("%s: %v", e.file, err)
		}
		if files[e.file] != nil {
			t.Fatalf("%s: two examples have this name", e.file)
		}
		files[e.file] = indented(t, frameExample(e, raw))
	}
	return files
}

func frameExample(e example, raw json.RawMessage) any {
	spec, _ := Lookup(e.message.Head().MessageType)
	switch {
	case e.fails != "":
		var said struct {
			Name string `json:"error_name"`
			Code string `json:"error_code"`
		}
		_ = json.Unmarshal(raw, &said)
		kind, _ := KindNamed(said.Name)
		return struct {
			JSONRPC string `json:"jsonrpc"`
			Error   any    `json:"error"`
			ID      int    `json:"id"`
		}{"2.0", struct {
			Code        int             `json:"code"`
			Message     string          `json:"message"`
			Data        json.RawMessage `json:"data"`
			ErrorCode   string          `json:"error_code"`
			ErrorName   string          `json:"error_name"`
			Description string          `json:"error_description"`
		}{kind.Numeric(e.fails), kind.Name, raw, kind.Code, kind.Name, kind.Name}, 1}
	case spec.Reply != "":
		return struct {
			JSONRPC string          `json:"jsonrpc"`
			Method  string          `json:"method"`
			Params  json.RawMessage `json:"params"`
			ID      int             `json:"id"`
		}{"2.0", methodOf(spec), raw, 1}
	}
	return struct {
		JSONRPC string          `json:"jsonrpc"`
		Result  json.RawMessage `json:"result"`
		ID      int             `json:"id"`
	}{"2.0", raw, 1}
}

// methodOf returns the method of a request. The one request without a method is another document's name for an update
// of the standings.
func methodOf(s Spec) string {
	if s.Type == TypeStandingsNotification {
		return "update_standings"
	}
	return s.Method
}

// indented writes v for a reader: without the escapes that only a web page needs.
func indented(t *testing.T, v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// writeFiles makes a folder hold these files and no others.
func writeFiles(t *testing.T, root string, files map[string][]byte) {
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func compareFiles(t *testing.T, root string, files map[string][]byte) {
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Errorf("%v (run with -update to write it)", err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s/%s (run with -update to write it): %s", root, name, difference(got, want))
		}
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		if err == nil && !d.IsDir() && files[filepath.ToSlash(name)] == nil {
			t.Errorf("%s follows from nothing in the code (run with -update to remove it)", path)
		}
		return err
	})
}

// difference shows the first line that differs.
func difference(got, want []byte) string {
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: got %s, want %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(g), len(w))
}

func TestEveryMessageHasAnExample(t *testing.T) {
	shown := map[Type]bool{}
	for _, e := range examples() {
		shown[e.message.Head().MessageType] = true
	}
	for _, spec := range Specs() {
		if !shown[spec.Type] {
			t.Errorf("%s has no example", spec.Type)
		}
	}
}

// The assignment gives the names of these files.
func TestExamplesHaveTheNamesOfTheAssignment(t *testing.T) {
	files := exampleFiles(t)
	for name, method := range map[string]string{
		"registration/referee_register_request.json": "register_referee",
		"registration/player_register_request.json":  "register_player",
		"game-flow/game_start.json":                  "handle_game_invitation",
		"game-flow/move_request.json":                "choose_parity",
		"game-flow/game_over.json":                   "notify_match_result",
		"errors/timeout_error.json":                  "notify_game_error",
		"errors/invalid_move.json":                   "notify_game_error",
	} {
		var request struct{ Method string }
		if err := json.Unmarshal(files[name], &request); err != nil || request.Method != method {
			t.Errorf("%s: got method %q (%v), want %q", name, request.Method, err, method)
		}
	}
}

func specification(t *testing.T) string {
	b, err := os.ReadFile(filepath.Join(docRoot, "protocol-spec.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestSpecificationListsEveryMessage holds the message table against [Specs].
func TestSpecificationListsEveryMessage(t *testing.T) {
	rows := map[string]string{}
	for _, line := range strings.Split(specification(t), "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 8 && strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			for i := range cells {
				cells[i] = strings.Trim(cells[i], " `")
			}
			rows[cells[1]] = strings.Join(cells[2:7], " | ")
		}
	}
	for _, s := range Specs() {
		want := fmt.Sprintf("%s | %s | %s | %s | %s", or(s.Method, "–"), s.From, s.To,
			or(string(s.Reply), "–"), deadline(s))
		if got := rows[string(s.Type)]; got != want {
			t.Errorf("%s: the specification has %q, want %q", s.Type, got, want)
		}
		delete(rows, string(s.Type))
	}
	for name := range rows {
		t.Errorf("the specification lists %s, which is no message", name)
	}
}

func deadline(s Spec) string {
	if s.Reply == "" {
		return "–"
	}
	return fmt.Sprintf("%d s", int(s.Deadline.Seconds()))
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// TestSpecificationListsEveryQuery holds the table of queries against [Queries].
func TestSpecificationListsEveryQuery(t *testing.T) {
	doc := specification(t)
	for _, q := range Queries() {
		if !strings.Contains(doc, "\n| `"+q.Name+"` | `") {
			t.Errorf("the specification has no row for %s", q.Name)
		}
	}
}

// TestSpecificationListsEveryError holds the error table against [Kinds].
func TestSpecificationListsEveryError(t *testing.T) {
	doc := specification(t)
	for _, k := range Kinds {
		retry := "no"
		if k.Retryable {
			retry = "yes"
		}
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| %s \\| `%s` \\| ([^|]*) \\| %s \\| %s \\| %s \\|$", k.Code, k.Name, retry,
			regexp.QuoteMeta(k.Meaning), regexp.QuoteMeta(k.Suggestion)))
		found := row.FindStringSubmatch(doc)
		if found == nil {
			t.Errorf("the specification has no row for %s %s, retry %s", k.Code, k.Name, retry)
			continue
		}
		for _, n := range k.numeric {
			if !strings.Contains(found[1], fmt.Sprint(n)) {
				t.Errorf("%s: the specification gives the numbers %q, want %d among them", k.Name, found[1], n)
			}
		}
	}
}

// TestSpecificationDrawsTheNumberOfItsExample holds the worked example against the code.
func TestSpecificationDrawsTheNumberOfItsExample(t *testing.T) {
	doc := specification(t)
	for what, value := range map[string]string{
		"the commitment of the league": DrawCommitment(exLeague, exDrawSecret),
		"the key of the match":         fmt.Sprintf("%x", exMatchKey),
		"the commitment of the match":  KeyCommitment(exMatchKey),
		"the number drawn":             fmt.Sprintf("the number is %d", exDrawn()),
	} {
		if !strings.Contains(doc, value) {
			t.Errorf("the specification's example lacks %s: %s", what, value)
		}
	}
}
