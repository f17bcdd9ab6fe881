// Package oauth authenticates the admin by tokens of an authorization server of the organizer's choice.
//
//	client ── tools/call start_league ─────────▶ league      401, WWW-Authenticate: the address of the metadata
//	client ── GET …/oauth-protected-resource ──▶ league      the authorization server
//	client ── requests a token for this league ▶ issuer
//	client ── tools/call, Bearer token ────────▶ league ──▶ issuer's keys
//
// A token is valid if the issuer has signed it, for this league, for the scope [Scope], and for the current time. The
// league stores no secret for that.
package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Scope is the required scope of a token.
const Scope = "league:admin"

// Why a token does not count.
var (
	ErrInvalid = errors.New("the token does not count here")                             // it never will: another one is needed
	ErrScope   = errors.New("the token is not for " + Scope)                             // it is good for other things
	ErrIssuer  = errors.New("the authorization server does not answer; try again later") // the validity is unknown
)

// algorithms are the accepted signature algorithms. All are asymmetric, so that a public key cannot sign.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA}

const (
	longest = 12 << 10         // bytes of a token
	leeway  = 30 * time.Second // by which clocks may differ
)

// A Grant is the subject of a token.
type Grant struct {
	Subject string // the issuer's id for it
	Client  string // the program that asked for the token
}

// Name is one of the two, the subject first.
func (g Grant) Name() string {
	if g.Subject != "" {
		return g.Subject
	}
	return g.Client
}

// claims are the used claims of a token.
type claims struct {
	jwt.Claims
	Client string          `json:"client_id"`
	Scope  words           `json:"scope"`
	Scp    words           `json:"scp"` // as some authorization servers call it
	Bound  json.RawMessage `json:"cnf"` // it counts only together with a proof that a bearer has not
}

// Verify returns the subject of a token that is valid for one of the resources. Errors are [ErrInvalid], [ErrScope]
// or [ErrIssuer], with a sentence.
func (i *Issuer) Verify(ctx context.Context, token string, resources ...string) (Grant, error) {
	if len(token) > longest {
		return Grant{}, invalid("it is longer than %d bytes", longest)
	}
	parsed, err := jwt.ParseSigned(token, algorithms)
	if err != nil || len(parsed.Headers) != 1 {
		return Grant{}, invalid("it is no JWT signed with RS256, ES256 or EdDSA")
	}
	if kind, _ := parsed.Headers[0].ExtraHeaders[jose.HeaderType].(string); !accessToken(kind) {
		return Grant{}, invalid("its type is %.32q and not at+jwt", kind)
	}
	var c claims
	if err := i.open(ctx, parsed, &c); err != nil {
		return Grant{}, err
	}
	if err := c.check(i.name, resources); err != nil {
		return Grant{}, err
	}
	return Grant{Subject: c.Subject, Client: c.Client}, nil
}

// accessToken reports whether a token of that type can be an access token.
func accessToken(kind string) bool {
	kind = strings.TrimPrefix(strings.ToLower(kind), "application/")
	return kind == "" || kind == "jwt" || kind == "at+jwt"
}

// open reads the claims of a token with the key of the issuer that has signed it.
func (i *Issuer) open(ctx context.Context, token *jwt.JSONWebToken, into *claims) error {
	header := token.Headers[0]
	keys, err := i.keys(ctx, header.KeyID, jose.SignatureAlgorithm(header.Algorithm))
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return invalid("%s has no key %.64q for %s", i.name, header.KeyID, header.Algorithm)
	}
	for _, key := range keys {
		*into = claims{}
		if token.Claims(key.Key, into) == nil {
			return nil
		}
	}
	return invalid("its signature is not one of %s, or its claims cannot be read", i.name)
}

// check compares the claims of a token with the required ones.
func (c *claims) check(issuer string, resources []string) error {
	switch err := c.ValidateWithLeeway(jwt.Expected{Issuer: issuer}, leeway); {
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return invalid("it was issued by %.100q and not by %s", c.Issuer, issuer)
	case err == nil && c.Expiry == nil:
		return invalid("it never expires")
	case errors.Is(err, jwt.ErrExpired):
		return invalid("it expired at %s", c.Expiry.Time().UTC().Format(time.RFC3339))
	case err != nil:
		return invalid("it counts only later; are the clocks right?")
	case len(c.Bound) > 0 && string(c.Bound) != "null":
		return invalid("it is bound to a key, and a bearer token is wanted")
	}
	wanted := func(resource string) bool { return oauthex.MatchesResource(c.Audience, resource) }
	if !slices.ContainsFunc(resources, wanted) {
		return invalid("it was issued for %.200q and not for %s", []string(c.Audience), strings.Join(resources, " or "))
	}
	if !slices.Contains(c.Scope, Scope) && !slices.Contains(c.Scp, Scope) {
		return ErrScope
	}
	return nil
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// words are a list, or a text with spaces between them.
type words []string

// UnmarshalJSON reads either.
func (w *words) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*w = strings.Fields(one)
		return nil
	}
	return json.Unmarshal(text, (*[]string)(w))
}
