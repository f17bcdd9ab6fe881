package cli

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// An issuer is an authorization server with one key.
type issuer struct {
	name string
	key  ed25519.PrivateKey
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var doc any
		switch r.URL.Path {
		case "/.well-known/openid-configuration":
			doc = map[string]string{"issuer": i.name, "jwks_uri": i.name + "/jwks"}
		case "/jwks":
			doc = jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: i.key.Public(), KeyID: "k", Algorithm: "EdDSA", Use: "sig"}}}
		default:
			http.NotFound(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(doc)
	}))
	t.Cleanup(s.Close)
	i.name = s.URL
	return i
}

// token issues one for a resource and a scope.
func (i *issuer) token(t *testing.T, resource, scope string) string {
	t.Helper()
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: i.key, KeyID: "k"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.Signed(s).Claims(map[string]any{
		"iss": i.name, "sub": "ada", "aud": resource, "scope": scope, "exp": time.Now().Add(time.Hour).Unix(),
	}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// called calls a tool with one request, as clients of the newest version of MCP do, of an older one, or of none.
func called(v visitor, path, tool, bearer, arguments string, header map[string]string) (*http.Response, string) {
	v.t.Helper()
	all := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
	if bearer != "" {
		all["Authorization"] = "Bearer " + bearer
	}
	for name, value := range header {
		all[name] = value
	}
	meta := ""
	if header["Mcp-Protocol-Version"] != "" {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	return v.ask("POST", path, all, fmt.Sprintf(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, tool, arguments, meta))
}

func TestToolsOfTheAdminAreChallenged(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	v, _, root := managerOutside(t, "--auth-server", i.name)
	admin, err := os.ReadFile(filepath.Join(root, "data", "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	own := strings.TrimSpace(string(admin))
	const resource = public + "/mcp"
	full := i.token(t, resource, "league:admin")
	if r, text := called(v, "/mcp", "pause_league", full, `{}`, nil); r.StatusCode != http.StatusOK {
		t.Errorf("got %s: %s", r.Status, text)
	}
	log, err := os.ReadFile(filepath.Join(root, "data/leagues/cup/journal.jsonl"))
	if err != nil || !strings.Contains(string(log), "admin via oauth ada") {
		t.Errorf("the log does not say who gave the order (%v): %s", err, log)
	}
	for _, header := range []map[string]string{nil, {"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "pause_league"}} {
		for name, c := range map[string]struct {
			bearer, arguments string
			want              int
			reason            string
		}{
			"no token":               {"", `{}`, 401, ""},
			"no JWT":                 {"secret", `{}`, 401, "invalid_token"},
			"for another league":     {i.token(t, "https://other.example/mcp", "league:admin"), `{}`, 401, "invalid_token"},
			"for another scope":      {i.token(t, resource, "openid"), `{}`, 403, "insufficient_scope"},
			"a wrong token":          {"", `{"auth_token":"x"}`, 401, ""},
			"a good one":             {full, `{}`, 200, ""},
			"the root's own":         {own, `{}`, 200, ""},
			"the root's in the call": {"", fmt.Sprintf(`{"auth_token":%q}`, own), 200, ""},
		} {
			r, text := called(v, "/mcp", "pause_league", c.bearer, c.arguments, header)
			challenge := ""
			if parsed, err := oauthex.ParseWWWAuthenticate(r.Header.Values("WWW-Authenticate")); err == nil && len(parsed) == 1 {
				challenge = parsed[0].Params["error"]
				if parsed[0].Params["resource_metadata"] != public+"/.well-known/oauth-protected-resource/mcp" {
					t.Errorf("%s: got %+v", name, parsed)
				}
			} else if c.want != 200 {
				t.Errorf("%s: got %q", name, r.Header)
			}
			if r.StatusCode != c.want || challenge != c.reason || c.want == 200 && !strings.Contains(text, "LEAGUE_CONTROL_ACK") {
				t.Errorf("%s (%v): got %s, %q: %s", name, header, r.Status, challenge, text)
			}
		}
	}
}

// Guests and seats need no token, regardless of the admin's authentication; a token in a message of league.v2 is
// refused.
func TestOnlyWhatIsTheAdminsIsChallenged(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	v, _, _ := managerOutside(t, "--auth-server", i.name)
	for tool, arguments := range map[string]string{
		"get_standings": `{}`, "get_league_status": `{}`, "take_seat": `{"name":"Ada"}`, "league_query": `{"query_type":"GET_STANDINGS"}`,
		"no_such_tool": `{}`,
	} {
		if r, text := called(v, "/mcp", tool, "", arguments, nil); r.StatusCode != http.StatusOK {
			t.Errorf("%s: got %s: %s", tool, r.Status, text)
		}
	}
	for name, body := range map[string]string{
		"a request": `{"jsonrpc":"2.0","method":"pause_league","params":{"auth_token":"x"},"id":1}`,
		"a batch":   `[{"jsonrpc":"2.0","method":"tools/call","params":{"name":"pause_league","arguments":{}},"id":1}]`,
	} {
		r, text := v.ask("POST", "/mcp", nil, body)
		if r.StatusCode != http.StatusOK || !strings.Contains(text, "E01") || strings.Contains(text, "CONTROL_ACK") {
			t.Errorf("%s: got %s: %s", name, r.Status, text)
		}
	}
	// not in the header, as the specification of MCP demands
	r, text := called(v, "/mcp", "pause_league", "", fmt.Sprintf(`{"auth_token":%q}`, i.token(t, public+"/mcp", "league:admin")), nil)
	if r.StatusCode != http.StatusUnauthorized {
		t.Errorf("a token among the arguments: got %s: %s", r.Status, text)
	}
}

func TestMetadataIsFoundForEveryLeague(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	v, _, root := managerOutside(t, "--auth-server", i.name)
	if said := begin(t, root, "create", "other", "--manager", v.base+"/mcp").finish(); !strings.Contains(said, "status 0") {
		t.Fatal(said)
	}
	const at = "/.well-known/oauth-protected-resource"
	for path, want := range map[string]string{
		at: public + "/mcp", at + "/mcp": public + "/mcp", at + "/spring/mcp": public + "/mcp", "/spring" + at + "/mcp": public + "/mcp",
		at + "/leagues/other/mcp": public + "/leagues/other/mcp", at + "/spring/leagues/other/mcp": public + "/leagues/other/mcp",
		at + "/leagues/nowhere/mcp": "", at + "/x": "",
	} {
		r, text := v.ask("GET", path, map[string]string{"Origin": "https://inspector.example"}, "")
		var got oauthex.ProtectedResourceMetadata
		if json.Unmarshal([]byte(text), &got) != nil && want != "" || got.Resource != want || want == "" && r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %s: %s", path, r.Status, text)
		}
	}
	for _, c := range []struct {
		path, resource string
		want           int
	}{
		{"/leagues/other/mcp", public + "/leagues/other/mcp", 200}, {"/leagues/other/mcp", public + "/mcp", 200},
		{"/mcp", public + "/leagues/other/mcp", 401}, {"/leagues/other/mcp", public + "/leagues/cup/mcp", 401},
	} {
		if r, text := called(v, c.path, "create_schedule", i.token(t, c.resource, "league:admin"), `{}`, nil); r.StatusCode != c.want {
			t.Errorf("%s with a token for %s: got %s: %s", c.path, c.resource, r.Status, text)
		}
	}
}

// A bearer adds a token to each request of a client.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// An MCP client with a session and a valid token is the admin; without a token it receives a challenge.
func TestClientWithATokenIsTheAdmin(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	v, _, _ := managerOutside(t, "--auth-server", i.name)
	for token, fine := range map[string]bool{i.token(t, public+"/mcp", "league:admin"): true, i.token(t, public+"/mcp", "x"): false} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
			Endpoint: v.base + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1,
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "pause_league", Arguments: map[string]any{}})
		if ok := err == nil && !answer.IsError; ok != fine {
			t.Errorf("want %v, got %+v, %v", fine, answer, err)
		}
		_ = session.Close()
		cancel()
	}
}

func TestWithoutAnAuthorizationServerNothingIsChallenged(t *testing.T) {
	t.Parallel()
	v, _, _ := managerOutside(t)
	if r, text := called(v, "/mcp", "pause_league", "", `{}`, nil); r.StatusCode != http.StatusOK || !strings.Contains(text, "E011") {
		t.Errorf("got %s: %s", r.Status, text)
	}
	if r, _ := v.ask("GET", "/.well-known/oauth-protected-resource", nil, ""); r.StatusCode != http.StatusNotFound {
		t.Errorf("got %s", r.Status)
	}
}
