package protocol_test

import (
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
	} {
		if got := protocol.Plain(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
