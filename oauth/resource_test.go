package oauth_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"agentleague/oauth"
)

func TestChallengeLeadsToTheMetadata(t *testing.T) {
	t.Parallel()
	r := &oauth.Resource{Metadata: "https://league.example.org" + oauth.WellKnown + "/mcp"}
	for _, c := range []struct {
		err    error
		status int
		reason string
	}{
		{nil, http.StatusUnauthorized, ""},
		{fmt.Errorf("%w: \"odd\"\r\nX: é", oauth.ErrInvalid), http.StatusUnauthorized, "invalid_token"},
		{oauth.ErrScope, http.StatusForbidden, "insufficient_scope"},
	} {
		status, header := r.Challenge(c.err)
		parsed, err := oauthex.ParseWWWAuthenticate([]string{header})
		if err != nil || len(parsed) != 1 || status != c.status {
			t.Fatalf("%v: got %d, %q (%v)", c.err, status, header, err)
		}
		p := parsed[0]
		if p.Scheme != "bearer" || p.Params["resource_metadata"] != r.Metadata || p.Params["error"] != c.reason ||
			p.Params["scope"] != oauth.Scope {
			t.Errorf("%v: got %+v", c.err, p)
		}
	}
	if status, header := r.Challenge(oauth.ErrIssuer); status != http.StatusServiceUnavailable || header != "" {
		t.Errorf("a silent issuer: got %d, %q", status, header)
	}
}

func TestMetadataNamesTheIssuer(t *testing.T) {
	t.Parallel()
	r := &oauth.Resource{Issuer: oauth.NewIssuer(issuer, nil), ID: resource, Name: "League"}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, oauth.WellKnown+"/mcp", nil))
	var got oauthex.ProtectedResourceMetadata
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Resource != resource || len(got.AuthorizationServers) != 1 || got.AuthorizationServers[0] != issuer ||
		len(got.ScopesSupported) != 1 || got.ScopesSupported[0] != oauth.Scope {
		t.Errorf("got %+v", got)
	}
}

// A token for the whole server counts in each of its leagues, and one for a league in no other.
func TestTokenForTheServerCountsInItsLeagues(t *testing.T) {
	t.Parallel()
	s := newSigner(t, "one", jose.EdDSA)
	i := oauth.NewIssuer(issuer, newKeys(s.public()).client())
	spring := &oauth.Resource{Issuer: i, ID: "https://league.example.org/leagues/spring/mcp", Whole: resource}
	first := &oauth.Resource{Issuer: i, ID: resource}
	for _, c := range []struct {
		at   *oauth.Resource
		aud  string
		want bool
	}{
		{first, resource, true}, {spring, resource, true}, {spring, spring.ID, true},
		{first, spring.ID, false}, {spring, "https://league.example.org/leagues/autumn/mcp", false},
	} {
		_, err := c.at.Grant(t.Context(), s.sign(t, "at+jwt", good(map[string]any{"aud": c.aud})))
		if (err == nil) != c.want {
			t.Errorf("%s with a token for %s: got %v", c.at.ID, c.aud, err)
		}
	}
}
