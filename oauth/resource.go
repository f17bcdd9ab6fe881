package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// WellKnown is where the metadata of a resource is, by RFC 9728: the path of the resource follows.
const WellKnown = "/.well-known/oauth-protected-resource"

// A Resource is the audience of tokens: the MCP endpoint of a league.
type Resource struct {
	Issuer   *Issuer
	ID       string // its address, as clients call it
	Whole    string // the resource that contains this one, whose tokens are valid here too; "": none
	Metadata string // the address of its metadata
	Name     string // for people
}

// Grant returns the subject of a token, or why it is not valid.
func (r *Resource) Grant(ctx context.Context, token string) (Grant, error) {
	if r.Whole == "" {
		return r.Issuer.Verify(ctx, token, r.ID)
	}
	return r.Issuer.Verify(ctx, token, r.ID, r.Whole)
}

// ServeHTTP shows the metadata, to pages of any site: clients may run in browsers.
func (r *Resource) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource: r.ID, AuthorizationServers: []string{r.Issuer.Name()}, ScopesSupported: []string{Scope},
		BearerMethodsSupported: []string{"header"}, ResourceName: r.Name,
	}).ServeHTTP(w, req)
}

// Challenge returns the status and the WWW-Authenticate header for a request with an invalid token, or without one:
// err is nil then.
func (r *Resource) Challenge(err error) (status int, header string) {
	params := []string{param("resource_metadata", r.Metadata), param("scope", Scope)}
	switch {
	case errors.Is(err, ErrIssuer):
		return http.StatusServiceUnavailable, ""
	case errors.Is(err, ErrScope):
		return http.StatusForbidden, "Bearer " + strings.Join(append([]string{param("error", "insufficient_scope")}, params...), ", ")
	case err != nil:
		params = append([]string{param("error", "invalid_token"), param("error_description", err.Error())}, params...)
	}
	return http.StatusUnauthorized, "Bearer " + strings.Join(params, ", ")
}

// param writes a parameter of a challenge. Its value is made of the characters that RFC 6750 allows there.
func param(name, value string) string {
	plain := strings.Map(func(c rune) rune {
		switch {
		case c == '"' || c == '\\':
			return '\''
		case c < 0x20 || c > 0x7e:
			return '?'
		}
		return c
	}, value)
	return fmt.Sprintf(`%s="%s"`, name, plain)
}
