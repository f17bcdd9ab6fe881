package agentleague_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A requirement is one row of doc/requirements.tsv.
type requirement struct {
	id, section, text string
	met               string // default, setting: NAME=VALUE, or no: REASON
	shown             string // the tests that show it, or the check of a message
}

// described are the documents that describe league.v2, by the number that the ids of their requirements begin with.
var described = [][2]string{
	{"001", "the assignment"}, {"002", "Part 1 of the assignment"}, {"003", "the V2 page"}, {"004", "the contracts document"},
	{"005", "the API page"},
}

const (
	requirementsData = "doc/requirements.tsv"
	requirementsPage = "docs/protocol/requirements.md"
	messageTest      = "league/manager TestMessagesMeetTheRequirements"
)

var (
	requirementID = regexp.MustCompile(`^00[1-5]-\d{3}$`)
	metForm       = regexp.MustCompile(`^(default|setting: \S+=\S+|no: \S.*)$`)
)

func readRequirements(t *testing.T) (rows []requirement) {
	t.Helper()
	seen := map[string]bool{}
	for n, line := range strings.Split(strings.TrimSuffix(read(t, requirementsData), "\n"), "\n") {
		cells := strings.Split(line, "\t")
		if len(cells) != 5 {
			t.Fatalf("%s:%d: %d cells, want id, section, requirement, met and test", requirementsData, n+1, len(cells))
		}
		r := requirement{cells[0], cells[1], cells[2], cells[3], cells[4]}
		switch {
		case !requirementID.MatchString(r.id) || seen[r.id]:
			t.Errorf("%s:%d: the id %q is malformed or repeated", requirementsData, n+1, r.id)
		case !metForm.MatchString(r.met):
			t.Errorf("%s:%d: %s: met is %q, want default, setting: NAME=VALUE or no: REASON", requirementsData, n+1, r.id, r.met)
		case strings.HasPrefix(r.met, "no: ") != (r.shown == ""):
			t.Errorf("%s:%d: %s: a requirement that is met has a test, another has none", requirementsData, n+1, r.id)
		}
		seen[r.id] = true
		rows = append(rows, r)
	}
	return rows
}

// testFunctions returns the test functions of each package, by folder.
func testFunctions(t *testing.T) map[string]map[string]bool {
	t.Helper()
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	all := map[string]map[string]bool{}
	for _, file := range sources(t) {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		folder, text := path.Dir(file), read(t, file)
		if all[folder] == nil {
			all[folder] = map[string]bool{}
		}
		for _, m := range function.FindAllStringSubmatch(text, -1) {
			all[folder][m[1]] = true
		}
	}
	return all
}

// evidence is the tests that show a requirement.
func (r requirement) evidence() []string {
	switch {
	case r.shown == "":
		return nil
	case strings.HasPrefix(r.shown, "message: "):
		return []string{messageTest}
	}
	return strings.Split(r.shown, ", ")
}

// TestRequirementsAreListed holds docs/protocol/requirements.md against the data file and the tests that it names.
//
//	go test . -run TestRequirementsAreListed -update
func TestRequirementsAreListed(t *testing.T) {
	t.Parallel()
	rows, functions := readRequirements(t), testFunctions(t)
	checked := map[string]bool{}
	for _, r := range rows {
		for _, e := range r.evidence() {
			folder, name, _ := strings.Cut(e, " ")
			if !checked[e] && !functions[folder][name] {
				t.Errorf("%s: %s: there is no test %q", requirementsData, r.id, e)
			}
			checked[e] = true
		}
	}
	page := requirementsText(rows)
	if *update {
		if err := os.MkdirAll(filepath.Dir(requirementsPage), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(requirementsPage, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile(requirementsPage); string(got) != page {
		t.Errorf("%s does not follow from %s; run this test with -update to write it", requirementsPage, requirementsData)
	}
}

func requirementsText(rows []requirement) string {
	var b strings.Builder
	b.WriteString(`# Requirements of the documents

Five documents describe league.v2. This page lists their requirements that can be checked, whether the program meets each, and the
test that shows it. Where documents contradict each other, [the protocol](../../doc/protocol-spec.md) decides. A test writes this
page from [requirements.tsv](../../doc/requirements.tsv): ` + "`make doc`" + `.

Met is *default*, or the setting with which it is met, or *no* and the reason. A test is a package and a function;
*message* is a row of ` + "`" + messageTest + "`" + `, which plays a league and checks the messages of every agent: the kind of
message or exchange, the path of a member, and its type or value.

| document | requirements | default | by a setting | no |
|---|---|---|---|---|
`)
	counts := map[string][4]int{}
	for _, r := range rows {
		for _, key := range []string{r.id[:3], "all"} {
			c := counts[key]
			c[0]++
			kind := 1
			switch {
			case strings.HasPrefix(r.met, "setting: "):
				kind = 2
			case strings.HasPrefix(r.met, "no: "):
				kind = 3
			}
			c[kind]++
			counts[key] = c
		}
	}
	count := func(name, key string) {
		c := counts[key]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", name, c[0], c[1], c[2], c[3])
	}
	for _, s := range described {
		count(fmt.Sprintf("[%s](#%s) %s", s[0], s[0], s[1]), s[0])
	}
	count("all", "all")
	for _, s := range described {
		fmt.Fprintf(&b, "\n## %s\n\n%s%s.\n\n| id | section | requirement | met | test |\n|---|---|---|---|---|\n",
			s[0], strings.ToUpper(s[1][:1]), s[1][1:])
		for _, r := range rows {
			if r.id[:3] == s[0] {
				fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.id, r.section, r.text, cell(r.met), cell(strings.TrimPrefix(r.shown, "message: "), r.shown))
			}
		}
	}
	return b.String()
}

// cell writes a text as code where it is a setting or a test.
func cell(text string, of ...string) string {
	text = strings.ReplaceAll(text, "|", `\|`)
	switch {
	case len(of) > 0 && strings.HasPrefix(of[0], "message: "):
		return "message `" + text + "`"
	case len(of) > 0 && text != "":
		return "`" + strings.ReplaceAll(text, ", ", "`, `") + "`"
	case strings.HasPrefix(text, "setting: "):
		return "setting: `" + strings.TrimPrefix(text, "setting: ") + "`"
	}
	return text
}

// The report has a section for each of the five points of section 6.5.1 of the assignment.
func TestReportHasWhatTheAssignmentAsks(t *testing.T) {
	t.Parallel()
	text := read(t, "doc/report.md")
	for _, heading := range []string{"Architecture and implementation", "Strategy", "Difficulties and their solutions",
		"Development and tests", "Conclusions and recommendations"} {
		_, section, found := strings.Cut(text, "\n## "+heading+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if words := len(strings.Fields(section)); !found || words < 50 {
			t.Errorf("doc/report.md: the section %q has %d words", heading, words)
		}
	}
}
