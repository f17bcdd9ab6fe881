package web

import "testing"

func TestNamesAreNoFormulas(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "", "Agent Alpha": "Agent Alpha", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x",
	} {
		if got := NoFormula(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
