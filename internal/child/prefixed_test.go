package child

import (
	"strings"
	"testing"
)

func TestPrefixedMarksEachLine(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := &Prefixed{To: &out, Prefix: "bot: "}
	for _, part := range []string{"one\ntw", "o\r\n", "three", strings.Repeat("x", longestWord)} {
		if n, err := p.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("wrote %d of %d, %v", n, len(part), err)
		}
	}
	if want := "bot: one\nbot: two\nbot: three" + strings.Repeat("x", longestWord) + "\n"; out.String() != want {
		t.Errorf("got %.60q, want %.60q", out.String(), want)
	}
}
