package advice

import (
	"os"
	"strings"
	"testing"

	"agentleague/protocol"
)

func TestEveryErrorOfTheProtocolHasAdvice(t *testing.T) {
	spec, err := os.ReadFile("../../doc/protocol-spec.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{protocol.Declined: true, protocol.AgentShutdown: true}
	for _, k := range protocol.Kinds {
		known[k.Name] = true
		a := On(protocol.EvenOdd, k.Name)
		if a.Code != k.Code || a.Name != k.Name || a.Retry != k.Retryable || a.Says == "" || a.Fix == "" {
			t.Errorf("%s %s: got %+v", k.Code, k.Name, a)
		}
		if byCode := On(protocol.EvenOdd, k.Code); byCode.Code != k.Code {
			t.Errorf("%s: got %+v", k.Code, byCode)
		}
	}
	for name, a := range table {
		if !known[name] {
			t.Errorf("%s: there is no such error", name)
		}
		if !strings.Contains(string(spec), "\n## "+a.Clause+"\n") {
			t.Errorf("%s: the specification has no section %q", name, a.Clause)
		}
	}
}

func TestAnErrorWithoutAdviceHasItsMeaningAndSuggestion(t *testing.T) {
	k := &protocol.Kind{Code: "E999", Name: "NEW", Meaning: "this is new", Suggestion: "Ask again"}
	if got, want := of(k), (Advice{Code: "E999", Name: "NEW", Says: "This is new.", Fix: "Ask again.", Clause: "Errors"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAnUnknownErrorIsSaidToBeUnknown(t *testing.T) {
	if a := On(protocol.EvenOdd, "E999"); a.Code != "E999" || !strings.Contains(a.Says, "not in the specification") {
		t.Errorf("got %+v", a)
	}
}
