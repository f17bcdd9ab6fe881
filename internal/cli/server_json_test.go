package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"agentleague/internal/listing"
)

// listings are the server.json of this repository and those that the command prints.
func listings(t *testing.T) map[string][]byte {
	t.Helper()
	own, err := os.ReadFile("../../server.json")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{"server.json": own}
	for _, args := range [][]string{
		{"--public-url", "https://league.example.org"},
		{"--public-url", "https://example.org/spring", "--name", "org.example/spring", "--title", "Spring Cup"},
	} {
		c := begin(t, t.TempDir(), append([]string{"server-json"}, args...)...)
		if said := c.finish(); c.status != 0 {
			t.Fatal(said)
		}
		out[strings.Join(args, " ")] = []byte(c.out.String())
	}
	return out
}

// Requirements of the registry's schema.
func TestServerJSONHasWhatTheRegistryNeeds(t *testing.T) {
	t.Parallel()
	for name, text := range listings(t) {
		var l struct {
			listing.Listing
			Remotes []struct {
				Type, URL string
				Variables map[string]struct {
					Description string
					IsRequired  bool
				}
			} `json:"remotes"`
		}
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !strings.HasSuffix(l.Schema, "/2025-12-11/server.schema.json") || !listing.ValidName(l.Name) || l.Version == "" || len(l.Version) > 255 ||
			l.Description == "" || utf8.RuneCountInString(l.Description) > 100 || l.Title == "" || utf8.RuneCountInString(l.Title) > 100 {
			t.Errorf("%s: %s", name, text)
		}
		if len(l.Remotes) != 1 || l.Remotes[0].Type != "streamable-http" || !regexp.MustCompile(`^https://\S+/mcp$`).MatchString(l.Remotes[0].URL) {
			t.Errorf("%s: remotes %+v", name, l.Remotes)
		}
		for _, used := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(l.Remotes[0].URL, -1) {
			if v := l.Remotes[0].Variables[used[1]]; v.Description == "" || !v.IsRequired {
				t.Errorf("%s: nothing says what %s is", name, used[1])
			}
		}
	}
}

// The schema comes with the registry's own module, if that can be had.
func TestLongServerJSONPassesTheSchemaOfTheRegistry(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/modelcontextprotocol/registry@v1.8.7")
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	var at struct{ Dir string }
	if err != nil || json.Unmarshal(out, &at) != nil {
		t.Skipf("the registry's module cannot be had here: %v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(at.Dir, "internal", "validators", "schemas", "2025-12-11.json"))
	if err != nil {
		t.Skip(err)
	}
	schema := compiled(t, string(text))
	for name, text := range listings(t) {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	wrong, _ := jsonschema.UnmarshalJSON(strings.NewReader(`{"name":"no slash","description":"x","version":"1"}`))
	if schema.Validate(wrong) == nil {
		t.Error("the schema takes anything")
	}
}

func compiled(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("server.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("server.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
