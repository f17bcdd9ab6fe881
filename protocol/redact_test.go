package protocol

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestRedactRecordByRole hides tokens from every role, and addresses from every role but the admin. A record without
// either stays byte for byte.
func TestRedactRecordByRole(t *testing.T) {
	const (
		plain    = `{"match_id":"R1M1",  "reason":"P01 wins at 07:57:01"}`
		foreign  = `{"auth_token":"x","reason":"dial tcp: lookup fox.lan: Post \"http://fox.lan:8101/mcp\": tok_player_P01_ab at fox.example.org:8101"}`
		admins   = `{"auth_token":"tok_…(redacted)","reason":"dial tcp: lookup fox.lan: Post \"http://fox.lan:8101/mcp\": tok_…(redacted) at fox.example.org:8101"}`
		everyone = `{"auth_token":"tok_…(redacted)","reason":"dial tcp: its endpoint: Post \"its endpoint\": tok_…(redacted) at its endpoint"}`
	)
	for role, want := range map[Role]string{"": everyone, RolePlayer: everyone, RoleReferee: everyone, RoleAdmin: admins} {
		if got := RedactRecord([]byte(plain), role); string(got) != plain {
			t.Errorf("%q reads %s, want it as it is", role, got)
		}
		var got strings.Builder
		for line := range strings.Lines(string(RedactRecord([]byte(foreign), role))) {
			got.WriteString(strings.TrimSpace(line))
		}
		if shown := strings.ReplaceAll(got.String(), `": `, `":`); shown != strings.ReplaceAll(want, `": `, `":`) {
			t.Errorf("%q reads %s\nwant %s", role, shown, want)
		}
	}
}

func TestRedactTextHidesAddressesAndNothingElse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`Post "http://10.0.0.3:8101/mcp": dial tcp 10.0.0.3:8101: refused`: "refused",
		"dial tcp [::1]:8101: refused":                                     "refused",
		"lookup ada.local: no such host":                                   "its endpoint: no such host",
		"fox.lan:8101 is busy at 07:57:01":                                 "its endpoint is busy at 07:57:01",
		"localhost:8101 is busy":                                           "its endpoint is busy",
		"no answer within 30.5 seconds, [] and 1.2.3":                      "no answer within 30.5 seconds, [] and 1.2.3",
	} {
		if got := RedactText(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// FuzzRedactMessage checks that no token remains in any message, and that the result is JSON.
func FuzzRedactMessage(f *testing.F) {
	f.Add(`{"auth_token":"tok_player_P01_ab\"c","x":{"token" : "y"},"n":"tok_referee_REF01_z"}`)
	f.Add(`{"auth\u005ftoken":"\u0074ok_x"}`)
	f.Add(`[1,{"draw_secret":["aa",{"b":"c"}]},1e400,"<b>"]`)
	f.Fuzz(func(t *testing.T, message string) {
		out := RedactMessage(json.RawMessage(message))
		if !json.Valid(out) {
			t.Fatalf("%q became %q", message, out)
		}
		var v any
		d := json.NewDecoder(strings.NewReader(string(out)))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		noTokens(t, v, false)
	})
}

func noTokens(t *testing.T, v any, secret bool) {
	switch v := v.(type) {
	case string:
		if secret && v != "" && v != Redact("tok_") || tokenForm.MatchString(v) {
			t.Fatalf("%q is shown", v)
		}
	case []any:
		for _, item := range v {
			noTokens(t, item, secret)
		}
	case map[string]any:
		for name, item := range v {
			noTokens(t, item, secret || SecretName(name))
		}
	}
}
