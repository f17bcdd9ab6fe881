package dialect

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestExamplesOfAnswersInWordsAreTrue holds the table of docs/guide/interop.md against how its answers are read.
func TestExamplesOfAnswersInWordsAreTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(interopPage)
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| (a move|a cell|an action|a guess|to join) \| (.*) \| (.*) \|$`).FindAllStringSubmatch(string(page), -1)
	if len(rows) < 8 {
		t.Fatalf("%d rows, want 8 at least", len(rows))
	}
	for _, row := range rows {
		for _, answer := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[2], -1) {
			if got := readAs(row[1], answer[1]); !strings.HasPrefix(row[3], got) {
				t.Errorf("%s: %s is read as %s, and the page says: %s", row[1], answer[1], got, row[3])
			}
		}
	}
}

// readAs tells in the words of the page what an answer to a question is read as.
func readAs(question, answer string) string {
	if question == "to join" {
		said, _ := joinedBy(answer)
		return map[string]string{"yes": "a join", "no": "declined", "": "neither"}[said]
	}
	asked := askedParity()
	switch question {
	case "a cell":
		asked = askedMove("2", "4", "7")
	case "an action":
		asked = askedMove(`"call"`, `"fold"`)
	case "a guess":
		asked = askedMove(questions...)
	}
	if move, _ := sensed(asked, answer); move != "" {
		return "`" + strings.Trim(move, `"`) + "`"
	}
	return "no move"
}
