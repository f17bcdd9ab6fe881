package check_test

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"agentleague/check"
	"agentleague/protocol"
)

var update = flag.Bool("update", false, "write docs/guide/check.md")

var roles = []protocol.Role{protocol.RolePlayer, protocol.RoleReferee, protocol.RoleManager}

func TestStepsAreNumberedOnceAndExplained(t *testing.T) {
	spec, err := os.ReadFile("../doc/protocol-spec.md")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	lists := [][]check.Step{check.ToolSteps()}
	for _, role := range roles {
		lists = append(lists, check.Steps(role))
	}
	for _, steps := range lists {
		last := ""
		for _, s := range steps {
			total++
			if s.ID <= last {
				t.Errorf("%s comes after %s", s.ID, last)
			}
			last = s.ID
			if !bytes.Contains(spec, []byte("\n## "+s.Clause+"\n")) {
				t.Errorf("%s: the specification has no section %q", s.ID, s.Clause)
			}
			if s.Name == "" || !strings.HasSuffix(s.Fix, ".") {
				t.Errorf("%s: want a name and a sentence that says what to do, got %q and %q", s.ID, s.Name, s.Fix)
			}
		}
	}
	if total < 60 {
		t.Errorf("%d steps, want at least 60", total)
	}
	if check.Steps("gardener") != nil {
		t.Error("a gardener has steps")
	}
}

// TestDocumentListsEveryStep holds docs/guide/check.md against the steps.
//
//	go test ./check -run TestDocumentListsEveryStep -update
func TestDocumentListsEveryStep(t *testing.T) {
	const path = "../docs/guide/check.md"
	want := document()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s does not list the steps as they are (%v): run with -update to write it", path, err)
	}
}

func document() []byte {
	var b bytes.Buffer
	b.WriteString(`# What ` + "`league check`" + ` checks

` + "```" + `
league check http://localhost:8101/mcp             an agent that is running and not registered with another manager
league check --listen 8000                         act as a manager on port 8000, wait for an agent, check it
league check URL --strict                          speak only the specification, and fail on every difference
league check URL -v                                show every step with its details, as it ends
league check URL --json | --junit check.xml        for other programs
league check URL --tool choose_parity=play         an MCP server with a tool that is not found by itself
` + "```" + `

A step ends as **PASS**, **FAIL** (others cannot play with the agent, or, in a strict check, it differs from the
specification), **WARN** (it differs from the specification, or is not a good idea) or **SKIP** (it could not be checked).
The score is the number of steps that passed, out of those that were checked. The exit status is 0 when nothing failed,
1 otherwise, 2 for wrong usage. The number of a step never changes its meaning; a new step takes a free number.

Failed steps are shown first, with the request, the answer, the remedy and the sentence of the specification; then each warning in a line. While it runs, a terminal shows the step that
is running and for how long. Ctrl-C ends the check and shows the result so far.

By default the checker uses the agent's own dialect, which it detects in the same way as a league. An agent without a
manager plays with anyone, so its URL is enough. An agent that knows its manager rightly refuses strangers: check it with
` + "`--listen`" + `. A check of a referee takes about 12 seconds, of others less than one; ` + "`--long`" + ` adds half a minute for a silent player.

An agent names its role at ` + "`/health`" + ` or in answer to a ping. Otherwise the checker detects the role: it sends messages that only a player, a
manager or a referee understands, in every known form, and the same with an unknown name. None of these starts a match or registers an agent.
If they are inconclusive, it invites the agent to the first match of the check; after that it tries a registration without a name and an address.

With ` + "`--listen`" + ` the checker uses the form of the agent's registration. It announces the matches and their referee before it invites, so that
a player that answers by a call of its own has the address: the checker listens there. It also listens on the next port, if that is free.

Some players always call their referee at a fixed port, mostly 8001. The checker listens there (` + "`--callbacks`" + `) if it is free. If it is not free and
a player's answer does not come, the result has a note about it.

A player that is an MCP server is recognised by its handshake. It is called as in a league, tool by tool, and the result lists each tool with its purpose.

This page is generated from the code: ` + "`go test ./check -run TestDocumentListsEveryStep -update`" + `.
`)
	write := func(who string, steps []check.Step) {
		fmt.Fprintf(&b, "\n## A %s\n\n| step | | specified in | remedy |\n|---|---|---|---|\n", who)
		for _, s := range steps {
			fmt.Fprintf(&b, "| %s | %s | [%s](../../%s) | %s |\n", s.ID, cell(s.Name), s.Clause, check.Reference(s.Clause), cell(s.Fix))
		}
	}
	for _, role := range roles {
		write(check.RoleName(role), check.Steps(role))
	}
	write("player that is an MCP server", check.ToolSteps())
	return b.Bytes()
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func TestJUnitCountsWhatFailed(t *testing.T) {
	r := protocol.Report{URL: "http://localhost:1/mcp", Role: protocol.RoleManager, Failed: 1, Skipped: 1,
		Steps: []protocol.CheckStep{
			{ID: "M01", Name: "one & all", Status: protocol.Pass, Elapsed: 0.25},
			{ID: "M02", Name: "two", Status: protocol.Fail, Detail: `want "a" <b>`, Clause: "A match", Sent: "{}",
				Received: "200 {}", Fix: "Do it.", Quote: "“the clause”"},
			{ID: "M03", Name: "three", Status: protocol.Warn, Detail: "odd", Clause: "Errors", Fix: "Do that."},
			{ID: "M04", Name: "four", Status: protocol.Skip, Detail: "not now"},
		}}
	b, err := check.JUnit(r)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
				Out     string    `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b, &got); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	s := got.Suites[0]
	if s.Tests != 4 || s.Failures != 1 || s.Skipped != 1 || s.Cases[0].Name != "M01 one & all" {
		t.Errorf("got %+v", s)
	}
	if f := s.Cases[1].Failure; f == nil || f.Message != `want "a" <b>` ||
		!strings.Contains(f.Text, `spec  “the clause”`) || !strings.Contains(f.Text, "Do it.") {
		t.Errorf("got %+v", f)
	}
	if s.Cases[2].Failure != nil || !strings.Contains(s.Cases[2].Out, "WARN odd") || s.Cases[3].Skipped == nil {
		t.Errorf("got %+v", s.Cases)
	}
}
