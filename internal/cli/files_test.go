package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A verb is in the file of its name. Those that only give an order to a manager are in orders.go.
func TestEveryVerbHasAFileOfItsName(t *testing.T) {
	t.Parallel()
	orders, err := os.ReadFile("orders.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range (&app{}).command().Commands() {
		if verb.Name() == "help" || verb.Name() == "completion" {
			continue // cobra's own
		}
		if strings.Contains(string(orders), "\nfunc "+verb.Name()+"Command(") {
			continue
		}
		if _, err := os.Stat(verb.Name() + ".go"); err != nil {
			t.Errorf("%s: %v", verb.Name(), err)
		}
	}
}

// A declared verb is in the groups of the help, or below another verb.
func TestEveryDeclaredVerbIsAVerb(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			all.Write(text)
		}
	}
	declared := regexp.MustCompile(`(?m)^func (\w+Command)\(a \*app\) \*cobra\.Command`).FindAllStringSubmatch(all.String(), -1)
	for _, verb := range declared {
		if len(regexp.MustCompile(`\b`+verb[1]+`\b`).FindAllString(all.String(), 3)) < 3 { // its comment and its declaration
			t.Errorf("%s is no verb: add it to the groups in cli.go", verb[1])
		}
	}
	if len(declared) < 20 {
		t.Errorf("found only %d verbs", len(declared))
	}
}
