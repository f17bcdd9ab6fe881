package dialect

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

const interopPage = "../docs/guide/interop.md"

// TestTableOfDialectsIsTrue holds the tables of docs/guide/interop.md against the rows and names they are made from.
func TestTableOfDialectsIsTrue(t *testing.T) {
	old, err := os.ReadFile(interopPage)
	if err != nil {
		t.Fatal(err)
	}
	page := string(old)
	for mark, table := range map[string]string{"dialects": dialectTable(), "names": nameTable()} {
		begin, end := "<!-- "+mark+" -->\n", "<!-- /"+mark+" -->"
		before, rest, ok := strings.Cut(page, begin)
		_, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("%s has no place for the %s", interopPage, mark)
		}
		page = before + begin + table + end + after
	}
	if *update {
		if err := os.WriteFile(interopPage, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if page != string(old) {
		t.Errorf("%s is not what the code says; run with -update", interopPage)
	}
}

func TestPageNamesEveryFramerAndShape(t *testing.T) {
	page, err := os.ReadFile(interopPage)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"mcp"}
	for name := range framers {
		names = append(names, name)
	}
	for name := range shapes {
		names = append(names, name)
	}
	for _, name := range names {
		if name != "" && !strings.Contains(string(page), "| `"+name+"` |") {
			t.Errorf("%s does not tell of %s", interopPage, name)
		}
	}
}

func dialectTable() string {
	var b strings.Builder
	b.WriteString("| row | how it speaks | framer | first form of an invitation | of a choice | of a result | words |\n|---|---|---|---|---|---|---|\n")
	for _, r := range Rows {
		d := notation.Dialect{Row: r.Name}
		fmt.Fprintf(&b, "| %s | %s | `%s` |", r.Name, r.Seen, r.Frame)
		for _, t := range []protocol.Type{protocol.TypeGameInvitation, protocol.TypeChooseParityCall, protocol.TypeGameOver} {
			fmt.Fprintf(&b, " `%s` |", Candidates(d, t)[0])
		}
		words := ""
		for ours, theirs := range r.Words {
			words = fmt.Sprintf("%s: %s", ours, theirs)
		}
		fmt.Fprintf(&b, " %s |\n", words)
	}
	return b.String()
}

func nameTable() string {
	var b strings.Builder
	b.WriteString("| message | methods and tools | message types |\n|---|---|---|\n")
	for _, s := range protocol.Specs() {
		w, known := wordings[s.Type]
		if !known {
			continue
		}
		fmt.Fprintf(&b, "| %s | `%s` | `%s` |\n", s.Type, strings.Join(w.calls, "` `"), strings.Join(w.types, "` `"))
	}
	return b.String()
}
