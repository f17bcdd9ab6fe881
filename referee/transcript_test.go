package referee

import (
	"regexp"
	"testing"
)

// What is hidden is every token of our form, and nothing else.
func FuzzHide(f *testing.F) {
	form := regexp.MustCompile(`tok_[0-9A-Za-z_-]+`)
	for _, text := range []string{
		"", "tok_", "tok_x", `{"auth_token":"tok_match_a-B_9","note":"not a tok_!"}`, "tok_tok_", "tok_\u00e4tok_b c",
		"tok_a tok_", "to tok_k",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, want := string(hide(text)), string(form.ReplaceAll(text, []byte(hidden))); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if got, want := ours(string(text)), len(text) > 0 && string(form.Find(text)) == string(text); got != want {
			t.Errorf("%q: is a token of ours: got %v, want %v", text, got, want)
		}
	})
}
