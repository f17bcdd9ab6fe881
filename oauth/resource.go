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

// A Resource is what tokens are issued for: the MCP endpoint of a league.
type Resource struct {
	Issuer   *Issuer
	ID       string // its address, as clients call it
	Whole    string // the resource that this one is part of, whose tokens count here too; "": none
	Metadata string // the address of its metadata
	Name     string // for people
}

// Grant returns whom a token was issued to, or why it does not count.
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

// Challenge is the status and the header WWW-Authenticate for a request whose token does not count, or that has none:
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
