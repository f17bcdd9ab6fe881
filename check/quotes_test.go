package check

import (
	"os"
	"slices"
	"strings"
	"testing"

	"agentleague/protocol"
)

// Every quotation is in the specification word for word, and every step has one.
func TestQuotationsAreInTheSpecification(t *testing.T) {
	text, err := os.ReadFile("../doc/protocol-spec.md")
	if err != nil {
		t.Fatal(err)
	}
	spec := strings.Join(strings.Fields(string(text)), " ")
	used := map[string]bool{}
	steps := slices.Concat(Steps(protocol.RolePlayer), Steps(protocol.RoleReferee), Steps(protocol.RoleManager), ToolSteps())
	for _, s := range steps {
		used[s.ID], used[s.ID[1:]] = true, true
		if quote := s.Quote(); len(quote) < 60 || strings.Contains(quote, "`") {
			t.Errorf("%s: got %s", s.ID, quote)
		}
	}
	for id, quote := range byStep {
		if !used[id] {
			t.Errorf("%s is no step", id)
		}
		if !strings.Contains(spec, quote) {
			t.Errorf("%s: the specification does not say %s", id, quote)
		}
	}
	for clause, quote := range byClause {
		if !strings.Contains(spec, quote) {
			t.Errorf("%s: the specification does not say %s", clause, quote)
		}
	}
}
