package agentleague_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"iter"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "agentleague"

const prometheus = "github.com/prometheus/client_golang"

// A row lists the packages that a package may import besides the standard library. A pattern is a folder, all folders
// below one ("game/*"), or everything ("*"). Of the rows that match a package, the longest counts.
// No pattern means the packages that serve tests, such as rpc/rpctest: no program has them in it.
type row struct {
	packages string   // a pattern of the importing packages
	inside   []string // packages of this module
	outside  []string // packages of other modules, each one by name
}

// walls lists the allowed imports. A new package needs a row.
var walls = []row{
	{packages: "."},
	{packages: "cmd/league", inside: []string{"internal/cli"}},
	{packages: "internal/cli", inside: []string{"*"}, outside: []string{
		"github.com/spf13/cobra", "github.com/spf13/pflag", "charm.land/lipgloss/v2",
		"github.com/modelcontextprotocol/go-sdk/mcp",
	}},
	{packages: "internal/cli/usage", outside: []string{"github.com/spf13/cobra", "github.com/spf13/pflag"}},
	{packages: "internal/cli/show", inside: []string{
		"internal/term", "protocol", "protocol/grid", "dialect", "dialect/notation", "rpc", "rating", "league", "league/seasons", "league/manager", "player", "referee", "host", "duel", "seat",
		"client", "check", "verify", "backup", "league/answers", "league/view", // of league/view the words for the use of a language model
	}, outside: []string{"charm.land/lipgloss/v2"}},
	{packages: "internal/collector"}, // standard library only
	{packages: "standalone", inside: []string{
		"internal/collector", "protocol", "rpc/connlimit", "config", "league", "league/seasons", "league/manager", "player", "store", "store/logs", "engine/journal", "host", "server",
	}},
	{packages: "internal/kit", inside: []string{"game/catalog"}},
	{packages: "internal/bench", inside: []string{"protocol", "rpc", "rpc/native"}},
	{packages: "check", inside: []string{"protocol", "dialect", "dialect/notation", "rpc", "rpc/native"}},                                                              // it reports the dialect of an agent
	{packages: "league", inside: []string{"league/calendar", "league/ladder", "league/location", "protocol", "format", "dialect/notation", "rating", "league/naming"}}, // all are pure, as it is
	{packages: "league/naming", inside: []string{"protocol"}, outside: []string{"golang.org/x/text/cases", "golang.org/x/text/unicode/norm"}},
	{packages: "league/answers", inside: []string{"protocol", "format", "league"}},
	{packages: "league/view", inside: []string{"protocol", "league", "format"}},
	{packages: "league/sheet", inside: []string{"protocol", "league", "league/view"}},
	{packages: "league/keyring", inside: []string{"protocol", "engine", "league"}},
	{packages: "league/registration", inside: []string{"league/location", "protocol", "rpc", "rpc/native", "league", "league/keyring", "league/naming"}},
	{packages: "league/ladder", inside: []string{"rating"}},
	{packages: "league/calendar"}, // standard library only
	{packages: "league/seasons", inside: []string{"protocol", "league", "rating"}},
	{packages: "league/location", inside: []string{"protocol"}},
	{packages: "league/warnings", inside: []string{"protocol"}},
	{packages: "league/outbox", inside: []string{"protocol", "rpc"}},
	{packages: "league/manager", inside: []string{"league/calendar", "league/outbox", "league/warnings", "protocol", "mailbox", "dialect/notation", "dialect/profile", "rpc", "rpc/workerpool", "config", "engine", "league", "league/view", "league/keyring", "league/registration", "format", "league/answers", "league/naming"}},
	{packages: "cluster", inside: []string{"engine"}},
	{packages: "cluster/shelf", inside: []string{"engine", "protocol"}},
	{packages: "cluster/relay"}, // standard library only
	{packages: "cluster/placement", inside: []string{
		"cluster", "cluster/*", "server", "oauth", "protocol", "rpc", "config", "league", "league/keyring", "league/manager", "league/view", "metrics",
		"engine", "engine/engines", "host", "store", "store/logs", "web",
	}},
	{packages: "league/leaguetest", inside: []string{"protocol", "league", "engine", "engine/journal"}},
	{packages: "league/mcpserver", inside: []string{"protocol", "rpc", "league", "league/manager", "league/view"}, outside: []string{"github.com/modelcontextprotocol/go-sdk/mcp"}},
	{packages: "mailbox", inside: []string{"protocol"}, outside: []string{"github.com/coder/websocket", "golang.org/x/time/rate"}},
	{packages: "web", inside: []string{"protocol", "protocol/grid", "dialect", "dialect/notation", "dialect/profile", "league", "league/seasons", "league/sheet", "league/view", "web/advice", "web/attendance", "web/board", "web/figures", "web/session", "web/replay", "format", "internal/roster"}}, // of dialect the sentences for people
	{packages: "web/advice", inside: []string{"protocol"}},
	{packages: "web/attendance", inside: []string{"internal/roster", "league", "league/view"}},
	{packages: "web/handout", inside: []string{"protocol", "web/figures"}},
	{packages: "web/session", outside: []string{"golang.org/x/time/rate"}},
	{packages: "web/figures", inside: []string{"protocol", "league/view"}, outside: []string{"rsc.io/qr"}},
	{packages: "web/replay", inside: []string{"protocol", "protocol/grid", "league/view", "web/board"}},
	{packages: "web/board", inside: []string{"protocol", "protocol/grid", "league/view"}},
	{packages: "web/webtest", outside: []string{
		"github.com/chromedp/chromedp", "github.com/chromedp/cdproto/cdp", "github.com/chromedp/cdproto/emulation",
		"github.com/chromedp/cdproto/heapprofiler", "github.com/chromedp/cdproto/page", "github.com/chromedp/cdproto/runtime",
	}},
	{packages: "metrics", inside: []string{"protocol", "rpc", "engine"}, outside: []string{
		prometheus + "/prometheus", prometheus + "/prometheus/collectors", prometheus + "/prometheus/promhttp",
	}},
	{packages: "metrics/metricstest", outside: []string{
		"github.com/prometheus/client_model/go", "github.com/prometheus/common/expfmt", "github.com/prometheus/common/model",
	}},
	{packages: "referee", inside: []string{"protocol", "dialect/notation", "rpc", "rpc/native", "rpc/workerpool", "rpc/lifetime", "game", "game/draw"},
		outside: []string{"github.com/sony/gobreaker/v2"}},
	{packages: "player", inside: []string{"protocol", "rpc", "rpc/native", "game"}},
	{packages: "player/minds/*", inside: []string{"player", "game", "game/*"}},
	{packages: "player/minds/llm", inside: []string{"player", "game", "protocol", "protocol/grid", "player/minds/llm/chat"}},
	{packages: "player/minds/llm/chat", inside: []string{"protocol"}},
	{packages: "player/minds/llm/llmtest"},
	{packages: "internal/child"}, // standard library only
	{packages: "internal/bridge", inside: []string{"protocol", "rpc", "dialect", "internal/child"}, outside: []string{
		"github.com/modelcontextprotocol/go-sdk/mcp", "github.com/modelcontextprotocol/go-sdk/jsonrpc",
	}},
	{packages: "player/minds/exec", inside: []string{"player", "game", "protocol", "internal/child"}}, // the line that a program reads has parts of messages
	{packages: "examples", inside: []string{"player", "game"}},
	{packages: "examples/*", inside: []string{"player", "game"}},
	{packages: "rpc", inside: []string{"protocol", "protocol/conform", "protocol/schema", "protocol/conform", "dialect", "dialect/notation", "dialect/profile", "rpc/lifetime", "rpc/gate", "rpc/wire", "rpc/connlimit"}, outside: []string{
		"github.com/modelcontextprotocol/go-sdk/mcp", "github.com/modelcontextprotocol/go-sdk/jsonrpc",
		"golang.org/x/time/rate",
	}},
	{packages: "rpc/connlimit"}, // standard library only
	{packages: "rpc/gate"},      // standard library only
	{packages: "rpc/lifetime"},  // standard library only
	{packages: "rpc/wire", inside: []string{"rpc/lifetime"}},
	{packages: "rpc/workerpool"}, // standard library only
	{packages: "rpc/native", inside: []string{"protocol", "rpc"}},
	{packages: "rpc/rpctest", inside: []string{"rpc"}},
	{packages: "internal/term", inside: []string{"protocol"}, outside: []string{
		"charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi", "charm.land/lipgloss/v2/table", "golang.org/x/term",
	}},
	{packages: "internal/listing"}, // standard library only
	{packages: "internal/roster", inside: []string{"league", "league/sheet", "league/view", "protocol"}, outside: []string{"github.com/google/renameio/v2"}},
	{packages: "internal/class", inside: []string{"config", "engine/journal", "host", "internal/roster", "protocol", "server", "store", "web/handout"}},
	{packages: "internal/gateway", inside: []string{"protocol", "dialect", "dialect/notation", "rpc", "mailbox"}, outside: []string{"github.com/google/renameio/v2"}},
	{packages: "host", inside: []string{
		"protocol", "rpc", "rpc/native", "referee", "player", "store", "store/logs", "config", "metrics", "engine", "engine/journal", "mailbox", "dialect/profile",
		"game", "game/catalog", "player/minds/*", // the table of strategies
	}},
	{packages: "duel", inside: []string{"game", "game/draw", "player/minds/minimax", "protocol", "protocol/grid", "rpc", "rpc/native", "referee", "player", "host", "game/catalog", "rating"},
		outside: []string{"golang.org/x/sync/errgroup"}},
	{packages: "seat", inside: []string{"protocol", "protocol/grid", "rpc", "player", "store"},
		outside: []string{"github.com/modelcontextprotocol/go-sdk/mcp"}},
	{packages: "mcpapp", inside: []string{"web"}, // the views are made of the page's own styles
		outside: []string{"github.com/modelcontextprotocol/go-sdk/mcp"}},
	{packages: "client", inside: []string{"protocol", "rpc", "league", "league/seasons", "league/answers"}},
	{packages: "oauth", outside: []string{
		"github.com/go-jose/go-jose/v4", "github.com/go-jose/go-jose/v4/jwt",
		"github.com/modelcontextprotocol/go-sdk/auth", "github.com/modelcontextprotocol/go-sdk/oauthex",
	}},
	{packages: "server", inside: []string{
		"oauth", "protocol", "dialect", "dialect/profile", "mailbox", "rpc", "rpc/workerpool", "config", "game", "game/catalog", "league", "league/seasons", "league/manager", "league/registration",
		"league/mcpserver", "league/view", "referee", "metrics", "engine", "engine/engines", "engine/journal", "host", "seat", "store", "store/logs", "report", "verify",
		"check", "duel", "web", "mcpapp", "internal/roster",
	}},
	{packages: "backup", inside: []string{
		"protocol", "store/wal", "config", "store", "league", "engine", "engine/line", "engine/journal", "engine/engines", "cluster", "cluster/shelf",
	}},
	{packages: "verify", inside: []string{
		"store/wal", "protocol", "league", "league/answers", "referee", "player", "config", "store", "engine/journal", "game", "game/catalog",
		"game/wasm",
	}},
	{packages: "report", inside: []string{"protocol", "league", "league/view", "web/figures"}},
	{packages: "store/wal", outside: []string{"github.com/klauspost/compress/s2", "github.com/klauspost/compress/zstd"}},
	{packages: "store/logs", inside: []string{"protocol", "config"}},
	{packages: "store", inside: []string{
		"protocol", "config", "store/wal", "store/logs", "league", "league/seasons", "referee", "player", "engine", "engine/journal",
	}, outside: []string{"github.com/google/renameio/v2", "github.com/gofrs/flock"}},
	{packages: "config", inside: []string{"league/calendar", "protocol", "dialect/notation", "dialect/profile", "format"}},
	{packages: "game/wasm", inside: []string{"game", "game/draw"}, outside: []string{
		"github.com/tetratelabs/wazero", "github.com/tetratelabs/wazero/api",
	}},
	{packages: "game/wasm/wasmtest"},
	{packages: "game/catalog", inside: []string{"game", "game/*"}},
	{packages: "game/*", inside: []string{"game", "game/draw"}},
	{packages: "engine/*", inside: []string{"engine"}},
	{packages: "engine/engines", inside: []string{"engine", "engine/*"}},
	{packages: "engine/sim", inside: []string{"engine", "engine/line"}},
	{packages: "engine/enginetest", inside: []string{"engine", "engine/line"}},
	{packages: "engine/journal", inside: []string{"engine", "engine/line"}, outside: []string{
		"github.com/google/renameio/v2", "github.com/gofrs/flock",
	}},
	{packages: "engine/mirror", inside: []string{"engine", "engine/journal", "engine/line"}},
	{packages: "engine/jetstream", inside: []string{"engine", "engine/line"}, outside: []string{
		"github.com/nats-io/nats.go", "github.com/nats-io/nats.go/jetstream",
	}},
	{packages: "attack"}, // only tests
	{packages: "chaos"},  // only tests
	{packages: "deploy"}, // only tests
	{packages: "deploy/sbom", outside: []string{"github.com/CycloneDX/cyclonedx-go"}},
	{packages: "journey"},       // only tests
	{packages: "interop"},       // only tests
	{packages: "interop/mcp"},   // only tests
	{packages: "interop/oauth"}, // only tests
	{packages: "interop/llm"},   // only tests
	{packages: "interop/foreign"},
	{packages: "interop/originals", inside: []string{"store"}}, // a command for developers
	{packages: "interop/foreign/mcpserver", inside: []string{"interop/foreign"},
		outside: []string{"github.com/modelcontextprotocol/go-sdk/mcp"}},
	{packages: "dialect", inside: []string{"protocol", "dialect/notation"}},
	{packages: "dialect/notation", inside: []string{"protocol"}},
	{packages: "dialect/profile", inside: []string{"protocol"}},
	{packages: "protocol", outside: []string{
		"github.com/go-json-experiment/json", "github.com/go-json-experiment/json/jsontext", "github.com/go-json-experiment/json/v1",
	}},
	{packages: "protocol/grid", inside: []string{"protocol"}},
	{packages: "protocol/schema", inside: []string{"protocol"}},
	{packages: "protocol/conform", inside: []string{"protocol"}},
	{packages: "rating"},
	{packages: "format"}, // standard library only
	{packages: "format/formattest", inside: []string{"format"}},
	{packages: "game"},
	{packages: "game/draw"},
	{packages: "engine"},
}

// emptyNames are names of folders that do not describe the contents.
var emptyNames = []string{"util", "utils", "common", "helpers", "misc", "pkg"}

func TestImportsKeepTheWalls(t *testing.T) {
	for _, system := range []string{"linux", "windows", "darwin"} {
		for _, breach := range breaches(walls, list(t, system)) {
			t.Errorf("GOOS=%s: %s", system, breach)
		}
	}
}

// A player that uses the SDK does not link built-in strategies, rules of games or the storage of files.
func TestThePlayersSDKIsSmall(t *testing.T) {
	text, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "./examples/evelyn").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	small := []string{"game", "protocol", "protocol/conform", "protocol/schema", "dialect", "dialect/notation", "dialect/profile", "rpc", "rpc/lifetime", "rpc/gate", "rpc/wire", "rpc/connlimit", "rpc/native", "player", "examples/evelyn"}
	for path := range strings.FieldsSeq(string(text)) {
		if below, ours := strings.CutPrefix(path, module+"/"); ours && !slices.Contains(small, below) {
			t.Errorf("examples/evelyn links %s", path)
		}
	}
}

func TestFolderNamesDescribeContents(t *testing.T) {
	for _, folder := range emptyFolders(sources(t)) {
		t.Errorf("%s: name the folder after its contents", folder)
	}
}

// Only internal/cli mentions flags, since other packages also serve callers without a command line. Exceptions are
// packages that start processes with flags: the bench, the tool that runs third-party agents, and test support; and the
// remedy for an agent that cannot be reached, which is a flag of the command that started the agent.
func TestOnlyTheCommandLineMentionsFlags(t *testing.T) {
	flag := regexp.MustCompile("[\"` (]--[a-z]")
	for _, name := range sources(t) {
		switch folder := path.Dir(name); {
		case strings.HasPrefix(folder, "internal/cli"), folder == "internal/bench", folder == "interop/originals", folder == "rpc/rpctest",
			strings.HasPrefix(folder, "testdata"), name == "league/registration/reach.go", !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"):
			continue
		}
		for n, text := range stringsIn(t, name) {
			if flag.MatchString(text) {
				t.Errorf("%s:%d: %s mentions a flag: describe the problem here, and the flag in internal/cli",
					name, n, text)
			}
		}
	}
}

// stringsIn yields the strings of a file, as they are written, with their lines.
func stringsIn(t *testing.T, path string) iter.Seq2[int, string] {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(int, string) bool) {
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				return yield(set.Position(text.Pos()).Line, text.Value)
			}
			return true
		})
	}
}

func TestBreachesAreReported(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"league", "agentleague/referee", "league imports agentleague/referee, which its row does not allow"},
		{"league", "agentleague/engine/sim", "league imports agentleague/engine/sim, which its row does not allow"},
		{"game", "agentleague/game/draw", "game imports agentleague/game/draw, which its row does not allow"},
		{"game/draw", "agentleague/game", "game/draw imports agentleague/game, which its row does not allow"},
		{"game/chess", "agentleague/game/evenodd",
			"game/chess imports agentleague/game/evenodd, which its row does not allow"},
		{"protocol", "github.com/a/b", "protocol imports github.com/a/b, which its row does not allow"},
		{"protocol", "agentleague/dialect", "protocol imports agentleague/dialect, which its row does not allow"},
		{"league", "agentleague/dialect", "league imports agentleague/dialect, which its row does not allow"},
		{"referee", "github.com/sony/gobreaker/v2/x",
			"referee imports github.com/sony/gobreaker/v2/x, which its row does not allow"},
		{"cmd/league", "github.com/a/b", "cmd/league imports github.com/a/b, which its row does not allow"},
		{"stranger", "fmt", "stranger has no row"},
		{"league", "agentleague/protocol", ""},
		{"game/catalog", "agentleague/game/chess", ""},
		{"game/chess", "agentleague/game/draw", ""},
		{"referee", "github.com/sony/gobreaker/v2", ""},
		{"internal/cli", "agentleague/web", ""},
		{"internal/cli", "agentleague/rpc/rpctest",
			"internal/cli imports agentleague/rpc/rpctest, which its row does not allow"},
		{"game/catalog", "agentleague/game/gametest",
			"game/catalog imports agentleague/game/gametest, which its row does not allow"},
		{"engine", "testing/synctest", ""},
		{".", "fmt", ""},
	} {
		got := breaches(walls, []pkg{{ImportPath: importPath(c.from), Imports: []string{"context", c.to}}})
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s imports %s: got %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

func TestEmptyNamesAreReported(t *testing.T) {
	files := []string{"league/util/x.go", "pkg/x/y.go", "pkg/x.go", "game/common.go", "rpc/utility/x.go"}
	if got, want := emptyFolders(files), []string{"league/util", "pkg"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// pkg is the part of the output of `go list -json` that the tests use.
type pkg struct {
	ImportPath string
	Imports    []string // without those of test files
}

// list returns every package of the module as it is built for that system.
func list(t *testing.T, system string) (out []pkg) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(text))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		out = append(out, p)
	}
}

// breaches returns a sentence for every package without a row and every import that its row does not allow.
func breaches(rows []row, pkgs []pkg) (out []string) {
	for _, p := range pkgs {
		r, ok := rowOf(rows, folder(p.ImportPath))
		if !ok {
			out = append(out, folder(p.ImportPath)+" has no row")
			continue
		}
		for _, to := range p.Imports {
			if !r.allows(to) {
				out = append(out, fmt.Sprintf("%s imports %s, which its row does not allow", folder(p.ImportPath), to))
			}
		}
	}
	return out
}

// rowOf returns the longest row that matches the folder.
func rowOf(rows []row, folder string) (best row, ok bool) {
	for _, r := range rows {
		if matches(r.packages, folder) && (!ok || len(r.packages) > len(best.packages)) {
			best, ok = r, true
		}
	}
	return best, ok
}

func (r row) allows(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	switch {
	case first == module && strings.HasSuffix(path, "test"):
		return false
	case first == module:
		return slices.ContainsFunc(r.inside, func(pattern string) bool { return matches(pattern, folder(path)) })
	case strings.Contains(first, "."):
		return slices.Contains(r.outside, path)
	}
	return true // the standard library
}

func matches(pattern, folder string) bool {
	if below, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(folder, below)
	}
	return folder == pattern
}

// folder returns the folder of a package of the module, "." for the module's own.
func folder(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

func importPath(folder string) string {
	if folder == "." {
		return module
	}
	return module + "/" + folder
}

// emptyFolders returns the folders of these files with a name in emptyNames.
func emptyFolders(files []string) (out []string) {
	for _, name := range files {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if slices.Contains(emptyNames, path.Base(dir)) && !slices.Contains(out, dir) {
				out = append(out, dir)
			}
		}
	}
	slices.Sort(out)
	return out
}
