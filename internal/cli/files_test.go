package cli

import (
	"os"
	"testing"
)

// Whoever looks for a verb finds it in the file of its name.
func TestEveryVerbHasAFileOfItsName(t *testing.T) {
	t.Parallel()
	for _, verb := range (&app{}).command().Commands() {
		if verb.Name() == "help" || verb.Name() == "completion" {
			continue // cobra's own
		}
		if _, err := os.Stat(verb.Name() + ".go"); err != nil {
			t.Errorf("%s: %v", verb.Name(), err)
		}
	}
}
