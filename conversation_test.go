package agentleague_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"agentleague/game/catalog"
)

// A conversation is a txtar file of requests and their exact answers. In an answer "<name>" matches any text and names
// it; in a later request or answer it is replaced by that text. "<time>" is any timestamp, "<any>" any value, "<games>"
// the types of all games. An answer may be only a status: HTTP 202.
type conversation struct {
	t     *testing.T
	url   string
	names map[string]string
	got   [][]byte // the answers, for -update
}

var update = flag.Bool("update", false,
	"write the answers that are given into the conversations; read them before you believe them")

var placeholder = regexp.MustCompile(`<[a-zA-Z0-9_:]+>`)

const timestamp = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`

// hold sends the requests of a file and compares the answers. Before a request whose name has a "?", it calls await
// with the text after it.
func hold(t *testing.T, url, file string, names map[string]string, await func(what string)) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := txtar.Parse(text).Files
	if len(parts) == 0 || len(parts)%2 != 0 {
		t.Fatalf("%s: want requests and answers in turn, got %d parts", file, len(parts))
	}
	c := &conversation{t: t, url: url, names: names}
	c.names["<games>"] = strings.Join(catalog.Types(), ", ")
	if *update {
		defer func() { c.rewrite(file, txtar.Parse(text)) }()
	}
	for i := 0; i < len(parts); i += 2 {
		name, what, waits := strings.Cut(parts[i].Name, " ? ")
		if waits {
			await(what)
		}
		if parts[i+1].Name != "answer" {
			t.Fatalf("%s: %q is followed by %q", file, name, parts[i+1].Name)
		}
		c.exchange(name, parts[i].Data, parts[i+1].Data)
	}
}

func (c *conversation) exchange(name string, request, want []byte) {
	c.t.Helper()
	filled := placeholder.ReplaceAllStringFunc(string(request), func(p string) string {
		if v, ok := c.names[p]; ok {
			return v
		}
		return p
	})
	resp, err := http.Post(c.url, "application/json", strings.NewReader(filled))
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	defer resp.Body.Close()
	got, _ := io.ReadAll(resp.Body)
	want = bytes.TrimSpace(want)
	diff := c.differs(want, got, resp.StatusCode)
	switch {
	case *update && diff == "":
		c.got = append(c.got, want) // with its placeholders
	case *update:
		c.learn(got, resp.StatusCode)
	case diff != "":
		c.t.Errorf("%s: HTTP %d, %s\ngot %s", name, resp.StatusCode, diff, got)
	}
}

// differs describes the difference in an answer, or returns "".
func (c *conversation) differs(want, got []byte, code int) string {
	if status, ok := strings.CutPrefix(string(want), "HTTP "); ok {
		if fmt.Sprint(code) != status || len(got) > 0 {
			return "want HTTP " + status + " and no body"
		}
		return ""
	}
	var wanted, given any
	if err := json.Unmarshal(want, &wanted); err != nil {
		return fmt.Sprintf("the answer in the file is not JSON: %v", err)
	}
	if err := json.Unmarshal(got, &given); err != nil {
		return "the answer is not JSON"
	}
	if code != http.StatusOK {
		return "want HTTP 200"
	}
	return c.compare("", wanted, given)
}

// compare returns the first difference, or "".
func (c *conversation) compare(path string, want, got any) string {
	switch want := want.(type) {
	case string:
		return c.compareText(path, want, got)
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: want an object, got %v", path, got)
		}
		for k := range object {
			if _, ok := want[k]; !ok {
				return fmt.Sprintf("%s.%s: not wanted", path, k)
			}
		}
		for k, w := range want {
			g, ok := object[k]
			if !ok {
				return fmt.Sprintf("%s.%s: missing", path, k)
			}
			if d := c.compare(path+"."+k, w, g); d != "" {
				return d
			}
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Sprintf("%s: want %v, got %v", path, want, got)
		}
		for i := range want {
			if d := c.compare(fmt.Sprintf("%s[%d]", path, i), want[i], list[i]); d != "" {
				return d
			}
		}
	default:
		if want != got {
			return fmt.Sprintf("%s: want %v, got %v", path, want, got)
		}
	}
	return ""
}

// compareText compares a text with a pattern that may have placeholders.
func (c *conversation) compareText(path, want string, got any) string {
	text, ok := got.(string)
	if want == "<any>" {
		return ""
	}
	var fresh []string
	pattern := placeholder.ReplaceAllStringFunc(regexp.QuoteMeta(want), func(p string) string {
		switch known, bound := c.names[p]; {
		case p == "<time>":
			return timestamp
		case p == "<any>":
			return ".*"
		case bound:
			return regexp.QuoteMeta(known)
		}
		fresh = append(fresh, p)
		return "(.+)"
	})
	found := regexp.MustCompile("(?s)^" + pattern + "$").FindStringSubmatch(text)
	if !ok || found == nil {
		return fmt.Sprintf("%s: want %q, got %v", path, want, got)
	}
	for i, name := range fresh {
		c.names[name] = found[i+1]
	}
	return ""
}

// learn stores an answer for rewriting, with names for the values that differ from run to run.
func (c *conversation) learn(got []byte, status int) {
	if len(got) == 0 {
		got = fmt.Appendf(nil, "HTTP %d", status)
	}
	for _, token := range regexp.MustCompile(`tok_(?:player|referee)_([A-Z0-9]+)_[A-Za-z0-9_-]{43}`).FindAllSubmatch(got,
		-1) {
		c.names["<T_"+string(token[1])+">"] = string(token[0])
	}
	for name, value := range c.names {
		got = bytes.ReplaceAll(got, []byte(value), []byte(name))
	}
	got = regexp.MustCompile(timestamp).ReplaceAll(got, []byte("<time>"))
	got = regexp.MustCompile(`"document":"(?:[^"\\]|\\.)*"`).ReplaceAll(got, []byte(`"document":"<any>"`))
	got = withoutRegistry(got)
	got = regexp.MustCompile(`conv-[0-9a-f]{16}`).ReplaceAll(got, []byte("<any>"))
	c.got = append(c.got, got)
}

// withoutRegistry removes the descriptions of the games from an answer, so that a new game does not change a
// conversation.
func withoutRegistry(answer []byte) []byte {
	before, rest, there := bytes.Cut(answer, []byte(`"game_registry":`))
	if !there {
		return answer
	}
	d := json.NewDecoder(bytes.NewReader(rest))
	var registry json.RawMessage
	if d.Decode(&registry) != nil {
		return answer
	}
	return slices.Concat(before, []byte(`"game_registry":"<any>"`), rest[len(registry):])
}

func (c *conversation) rewrite(file string, a *txtar.Archive) {
	for i, answer := range c.got {
		a.Files[2*i+1].Data = append(answer, '\n')
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		c.t.Error(err)
	}
}
