package format_test

import (
	"testing"

	"agentleague/format"
	"agentleague/format/formattest"
)

func TestFormatsKeepTheLaws(t *testing.T) {
	for _, name := range format.Names() {
		f, _ := format.ByName(name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			formattest.Run(t, f, formattest.Histories())
		})
	}
}

func FuzzNext(f *testing.F) { formattest.Fuzz(f) }
