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
	for _, s := range slices.Concat(Steps(protocol.RolePlayer), Steps(protocol.RoleReferee), Steps(protocol.RoleManager),
		ToolSteps()) {
		if quote := s.Quote(); len(quote) < 60 || strings.Contains(quote, "`") {
			t.Errorf("%s: got %s", s.ID, quote)
		}
		if !strings.Contains(spec, s.spec) {
			t.Errorf("%s: the specification does not say %s", s.ID, s.spec)
		}
	}
	_, sections := steps()
	for section, quote := range sections {
		if !strings.Contains(spec, quote) {
			t.Errorf("%s: the specification does not say %s", section, quote)
		}
	}
}
