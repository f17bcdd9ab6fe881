package protocol_test

import (
	"encoding/json"
	"strings"
	"testing"

	"agentleague/protocol"
)

func TestPlainTextShowsWhatPrintsAndNothingElse(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"Agent Alpha":                  "Agent Alpha",
		"Zoë 王 🦊":                      "Zoë 王 🦊",
		"<script>alert(1)</script>":    "<script>alert(1)</script>", // for a page its template escapes it
		"\x1b[2J":                      "\uFFFD[2J",
		"\u009b2J":                     "\uFFFD2J",
		"a\nb\tc\rd":                   "a\uFFFDb\uFFFDc\uFFFDd",
		"\u202Egnp.exe":                "\uFFFDgnp.exe",
		"a\u200Eb\u2066c\u2069\uFEFF":  "a\uFFFDb\uFFFDc\uFFFD\uFFFD",
		"line\u2028paragraph\u2029end": "line\uFFFDparagraph\uFFFDend",
		"torn \xff":                    "torn \uFFFD",
		"\x7f":                         "\uFFFD",
		"👩\u200d👧 می\u200cشود":         "👩\u200d👧 می\u200cشود",
		"Al\u200dpha\u200c":            "Al\uFFFDpha\uFFFD", // would pass for Alpha
		"\u200d👧\u200d\u200d👩\u200d":   "\uFFFD👧\uFFFD\uFFFD👩\uFFFD",
	} {
		if got := protocol.Plain(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestPlainJSONMeansTheSameAndPrints(t *testing.T) {
	for _, text := range []string{
		"", "Agent Alpha", "Zoë 王 🦊", "\x1b[2J \u009b2J \u202E \u2028 \U000E0041 \x7f", "<b>\n\"\\",
	} {
		raw, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		shown := protocol.PlainJSON(raw)
		var back map[string]string
		if err := json.Unmarshal(shown, &back); err != nil || back["text"] != text {
			t.Errorf("%q: got %s, which reads as %q, %v", text, shown, back["text"], err)
		}
		if got := protocol.Plain(string(shown)); got != string(shown) {
			t.Errorf("%q: %q does not all print", text, shown)
		}
	}
}

// A name cannot end its quotes, begin a line, or fill a page.
func TestQuotedNamesStayBetweenTheirQuotes(t *testing.T) {
	for name, want := range map[string]string{
		"Ada":                     `"Ada"`,
		"":                        `""`,
		`A" says: "resign`:        `"A\" says: \"resign"`,
		`back\`:                   `"back\\"`,
		"two\nlines\tand\x1b[31m": "\"two\ufffdlines\ufffdand\ufffd[31m\"",
		"אדה 👩‍💻":                 `"אדה 👩‍💻"`,
		strings.Repeat("x", 300):  `"` + strings.Repeat("x", 200) + `…"`,
	} {
		if got := protocol.Quoted(name); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}
