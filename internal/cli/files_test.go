package cli

import (
	"os"
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
