package rpc_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
	"agentleague/rpc"
)

func TestCredentialsKeepTheirTextForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "",
		"a-token\n":                "Authorization: Bearer a-token\n",
		"X-API-Key: two words\n\n": "X-Api-Key: two words\n",
		"?key=a%20b&team=fox":      "?key=a%20b&team=fox\n",
		"x-key: abc\n?key=d":       "X-Key: abc\n?key=d\n",
	} {
		c, err := rpc.ParseCredentials(text)
		if err != nil || c.String() != want || c.IsZero() != (want == "") {
			t.Errorf("%q: got %q, %v", text, c, err)
		}
		if again, err := rpc.ParseCredentials(c.String()); err != nil || again.String() != want {
			t.Errorf("%q again: got %q, %v", text, again, err)
		}
	}
}

func TestInvalidCredentialsAreRefusedWithoutTheirValue(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"two secret", "secrét", "X-Key: secrét", "bad name: secret", "Host: secret", "Mcp-Session-Id: secret", "Content-Type: secret",
		"X-Key: secret\nX-KEY: secret", "?%zz=secret", "?a=secret b", "X-Key: secret" + strings.Repeat("t", 20<<10),
		"?a=secret" + strings.Repeat("t", 20<<10),
	} {
		if _, err := rpc.ParseCredentials(text); err == nil || strings.Contains(err.Error(), "secr") {
			t.Errorf("%.40q: got %v", text, err)
		}
	}
}

func TestSecretsOfAnAddressAreSplitOff(t *testing.T) {
	t.Parallel()
	for address, want := range map[string][2]string{
		"http://h:1/mcp":                          {"http://h:1/mcp", ""},
		"http://h:1/mcp?key=k":                    {"http://h:1/mcp", "?key=k\n"},
		"https://fox:pass@h/mcp":                  {"https://h/mcp", "Authorization: Basic Zm94OnBhc3M=\n"},
		"https://fox:pa%20ss@h:4/a%2Fb/mcp?key=k": {"https://h:4/a%2Fb/mcp", "Authorization: Basic Zm94OnBhIHNz\n?key=k\n"},
		":": {":", ""},
	} {
		var c rpc.Credentials
		if got, err := c.Split(address); err != nil || got != want[0] || c.String() != want[1] {
			t.Errorf("%s: got %q and %q, %v", address, got, c, err)
		}
	}
}

func FuzzCredentials(f *testing.F) {
	for _, text := range []string{"a", "?k=v", "X-Key: v\n?k=v", "A: b: c", "\x00: \r\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := rpc.ParseCredentials(text)
		if again, wrong := rpc.ParseCredentials(c.String()); err == nil && (wrong != nil || again.Query != c.Query || len(again.Header) != len(c.Header)) {
			t.Errorf("%q: got %q, then %q, %v", text, c, again, wrong)
		}
	})
}

func TestServerBehindAKeyIsCalledWithItsCredentials(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		credentials string
		allowed     func(*http.Request) bool
	}{
		"header": {"X-API-Key: sesame", func(r *http.Request) bool { return r.Header.Get("X-API-Key") == "sesame" }},
		"basic": {"Authorization: Basic Zm94OnBhc3M=", func(r *http.Request) bool {
			user, password, _ := r.BasicAuth()
			return user == "fox" && password == "pass"
		}},
		"query": {"?key=sesame", func(r *http.Request) bool { return r.URL.Query().Get("key") == "sesame" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given, err := rpc.ParseCredentials(c.credentials)
			if err != nil {
				t.Fatal(err)
			}
			s := newToolServer(joinsAndPlays)
			for door, h := range map[string]http.Handler{
				"/mcp": mcp.NewStreamableHTTPHandler(s.of, nil), "/sse": mcp.NewSSEHandler(s.of, nil),
			} {
				at := serveTools(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if !c.allowed(r) {
						http.Error(w, "unauthorized", http.StatusUnauthorized)
						return
					}
					h.ServeHTTP(w, r)
				}))
				plays(t, rpc.NewNode("referee:REF01", rpc.Options{Credentials: func(string) rpc.Credentials { return given }}),
					rpc.Peer{Endpoint: at.URL + door, Dialect: "M"})
				_, err := rpc.NewNode("referee:REF01", rpc.Options{}).Meet(t.Context(), at.URL+door, message(protocol.TypeChooseParityCall), nil)
				if err == nil || !strings.Contains(err.Error(), "it asks for credentials") {
					t.Errorf("%s without credentials: got %v", door, err)
				}
			}
		})
	}
}
