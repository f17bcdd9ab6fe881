package config_test

import (
	"strings"
	"testing"

	"agentleague/config"
)

func TestPublicURLIsOneThatOthersCanOpen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "",
		"https://league.example.org":         "https://league.example.org",
		"https://League.Example.org/":        "https://league.example.org",
		"http://192.168.1.10:8080":           "http://192.168.1.10:8080",
		"https://example.org/spring/":        "https://example.org/spring",
		"https://example.org/a/b-c":          "https://example.org/a/b-c",
		"https://[2001:db8::1]:8443":         "https://[2001:db8::1]:8443",
		"league.example.org":                 "error: use an https or http address",
		"ftp://league.example.org":           "error: use an https or http address",
		"https://":                           "error: use an https or http address",
		"https://:443":                       "error: use an https or http address",
		"https://me@league.example.org":      "error: leave out the user",
		"https://league.example.org?a=b":     "error: leave out the query",
		"https://league.example.org?":        "error: leave out the query",
		"https://league.example.org/#x":      "error: leave out the fragment",
		"https://league.example.org/#":       "error: leave out the fragment",
		"https://league.example.org/a%2Fb":   "error: use letters, digits",
		"https://league.example.org/a/../b":  "error: use letters, digits",
		"https://league.example.org/a\"b":    "error: use letters, digits",
		"https://league.example.org/a//b":    "error: use letters, digits",
		"https://league.example.org/mcp":     "error: leave out /mcp",
		"https://league.example.org/x/mcp/":  "error: leave out /mcp",
		"https://league.example.org:port":    "error: use an https or http address",
		"javascript:alert(1)":                "error: use an https or http address",
		"https://league.example.org\r\nX: y": "error: use an https or http address",
	} {
		got, err := config.CheckPublicURL(text)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want && !(strings.HasPrefix(want, "error: ") && strings.HasPrefix(got, want)) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestAuthServerIsCalledByHTTPSUnlessItIsHere(t *testing.T) {
	t.Parallel()
	for text, fine := range map[string]bool{
		"": true, "https://login.example.org": true, "https://login.example.org/realms/a": true,
		"https://login.example.org/": true, "http://127.0.0.1:9000": true, "http://[::1]:9000": true,
		"http://localhost:9000": true, "http://login.example.org": false, "login.example.org": false,
		"https://me@login.example.org": false, "https://login.example.org?x": false, "https://login.example.org#x": false,
		"file:///etc/passwd": false,
	} {
		got, err := config.CheckAuthServer(text)
		if (err == nil) != fine || fine && got != text {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}
