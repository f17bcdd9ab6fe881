package check

import (
	"strings"
	"testing"
)

func TestReportsShowNoTokens(t *testing.T) {
	for body, want := range map[string]string{
		`{"auth_token":"tok_player_P01_abc-DEF"}`:           `{"auth_token":"(redacted)"}`,
		`{"auth_token" : "abc123","x":1}`:                   `{"auth_token" : "(redacted)","x":1}`,
		`{"text":"{\"auth_token\": \"abc123\", \"y\": 2}"}`: `{"text":"{\"auth_token\": \"(redacted)\", \"y\": 2}"}`,
		`{"detail":"tok_match_abc is wrong"}`:               `{"detail":"tok_…(redacted) is wrong"}`,
		`{"player_A":{"token":"abc"},"draw_key":"00ff"}`:    `{"player_A":{"token":"(redacted)"},"draw_key":"(redacted)"}`,
		`{"auth_token":"tok-P01-hash`:                       `{"auth_token":"(redacted)`,
		"a\x1b[31mred\x00\xff":                              "a·[31mred··",
	} {
		if got := redacted([]byte(body)); got != want {
			t.Errorf("%s\n got %s\nwant %s", body, got, want)
		}
	}
	long := redacted([]byte(`{"x":"` + strings.Repeat("y", 1<<20) + `"}`))
	if len(long) > shown+len("…") || !strings.HasSuffix(long, "…") {
		t.Errorf("%d bytes are shown, want %d and a sign that there are more", len(long), shown)
	}
}

func TestNumberFollowsFromTheKeyOfTheSpecification(t *testing.T) {
	key := []byte("\x74\x93\x25\xce\xdc\x46\x96\xce\xf5\x0a\x73\x1c\x23\x40\x8e\x95\x4b\x40\xc9\xf7\xe8\x5c\x22\xd1\xb6\x56\x84\x5e\xca\xd7\x05\x8b")
	if got := drawn(key); got != 1 {
		t.Errorf("got %d, want the 1 of doc/protocol-spec.md", got)
	}
}
