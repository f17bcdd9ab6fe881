package journey

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	student    = "student"
	teacher    = "teacher"
	researcher = "researcher"
	operator   = "operator"
	cluster    = "operator of a cluster"
)

// guides assigns the sections of the guides to journeys. A row without a section is for those that no other row names.
var guides = []struct{ file, section, journey string }{
	{"README.md", "", student},
	{"docs/guide/terminals.md", "", operator},
	{"docs/guide/writing-a-player.md", "", student},
	{"docs/guide/check.md", "", student},
	{"docs/guide/teaching.md", "", teacher},
	{"docs/guide/minds.md", "", researcher},
	{"docs/guide/operating.md", "", operator},
	{"docs/guide/leagues.md", "", operator},
	{"docs/guide/cluster.md", "", cluster},
}

// A command is one line of a fenced block that a shell can run.
type command struct {
	text    string // as in the guide
	where   string // file and line
	section string // of the file
	journey string
}

var (
	fence   = regexp.MustCompile("^ *```(\\w*)$")
	heading = regexp.MustCompile(`^#+ (.*)$`)
	// explanation is the text beside a command in a list: behind at least two spaces, and no flag.
	explanation = regexp.MustCompile(`\s{2,}[^-\s].*$`)
)

// commands lists the commands of the guides, in their order: all lines of blocks without a language and of sh and bash,
// and the lines of console blocks that begin with a prompt.
func commands() (out []command, err error) {
	for n, g := range guides {
		if slices.ContainsFunc(guides[:n], func(other struct{ file, section, journey string }) bool { return other.file == g.file }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(g.file)))
		if err != nil {
			return nil, err
		}
		out = append(out, commandsOf(g.file, string(text))...)
	}
	return out, nil
}

// commandsOf lists the commands of one guide.
func commandsOf(file, text string) (out []command) {
	section, inside, language := "", false, ""
	for n, line := range strings.Split(text, "\n") {
		if found := fence.FindStringSubmatch(line); found != nil {
			inside, language = !inside, found[1]
			continue
		}
		if found := heading.FindStringSubmatch(line); found != nil && !inside {
			section = found[1]
		}
		if !inside || !slices.Contains([]string{"", "sh", "bash", "console"}, language) {
			continue
		}
		line, prompt := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		if line = explanation.ReplaceAllString(line, ""); line != "" && (prompt || language != "console") {
			out = append(out, command{line, fmt.Sprintf("%s:%d", file, n+1), section, assigned(file, section)})
		}
	}
	return out
}

// assigned returns the journey that runs the commands of a section.
func assigned(file, section string) (journey string) {
	for _, g := range guides {
		if g.file == file && (g.section == section || g.section == "" && journey == "") {
			journey = g.journey
		}
	}
	return journey
}

// leftOut are the commands of the guides that no journey runs: those of a section that begin with some words.
var leftOut = []struct{ section, words, reason string }{
	{"league", "make test", "it runs this test"},
	{"Play yourself, or let a model play", "league seat --stdio", "a desktop host starts it; TestSeat… of internal/cli do"},
	{"What `league check` checks", "league check URL --tool", "it needs an MCP server; interop/mcp checks some"},
	{"Seven terminals", "league merge", "no agent has registered twice; testdata/script/names.txtar of internal/cli merges two"},
	{"Install", "go build", "the tests build the program"},
	{"Move", "league restore moved.zip --root SHARED --engine", nats},
	{"Move", "league backup spring --root SHARED --engine", nats},
	{"Update", "systemctl restart", "there is no systemd in the test"},
	{"Agents that do not register", "league enlist https://bots.example.org/mcp", "it is another organization's server"},
	{"Agents that do not register", "league enlist --stdio", "it needs an MCP server; interop/mcp enlists programs"},
	{"Seven terminals", "league enlist --stdio", "it needs an MCP server; interop/mcp enlists programs"},
	{"The Go SDK in a module of your own", "", "TestLongSDKIsUsedFromAnotherModule runs them, in a folder beside this repository"},
}

const nats = "it needs three NATS servers; chaos has tests with them"

// reasonToLeaveOut returns why no journey runs a command, or "".
func reasonToLeaveOut(c command) string {
	for _, row := range leftOut {
		if row.section == c.section && strings.HasPrefix(c.text, row.words) {
			return row.reason
		}
	}
	return ""
}

// Each row of the tables is about a command of a guide.
func TestTablesNameCommandsOfTheGuides(t *testing.T) {
	t.Parallel()
	all, err := commands()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range leftOut {
		if !slices.ContainsFunc(all, func(c command) bool { return c.section == row.section && strings.HasPrefix(c.text, row.words) }) {
			t.Errorf("no guide has a command %q in %q, which is left out: %s", row.words, row.section, row.reason)
		}
	}
	for _, row := range substitutions {
		if !slices.ContainsFunc(all, func(c command) bool { return strings.Contains(c.text, row.old) }) {
			t.Errorf("no guide has a command with %q, which is substituted: %s", row.old, row.reason)
		}
	}
}

// Explanations beside commands are cut off, flags behind two spaces are not.
func TestCommandsOfABlock(t *testing.T) {
	t.Parallel()
	got := commandsOf("docs/guide/terminals.md", "## Seven terminals\n```\nleague watch      show the table\nleague player  --port 8101 --name \"A B\"  --strategy x\n```\n"+
		"# x\n```console\n$ league status\nanswer\n```\n   ```\n   curl -s http://localhost/\n   ```\n```text\nno command\n```\n")
	want := []command{
		{"league watch", "docs/guide/terminals.md:3", "Seven terminals", operator}, {`league player  --port 8101 --name "A B"  --strategy x`, "docs/guide/terminals.md:4", "Seven terminals", operator},
		{"league status", "docs/guide/terminals.md:8", "x", operator}, {"curl -s http://localhost/", "docs/guide/terminals.md:12", "x", operator},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
