package oauth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"agentleague/oauth"
)

const (
	issuer   = "https://login.example.org"
	resource = "https://league.example.org/mcp"
)

// A signer signs tokens with one key.
type signer struct {
	id        string
	algorithm jose.SignatureAlgorithm
	key       crypto.Signer
}

func newSigner(t *testing.T, id string, algorithm jose.SignatureAlgorithm) signer {
	t.Helper()
	var key crypto.Signer
	var err error
	switch algorithm {
	case jose.ES256:
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case jose.EdDSA:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		t.Fatal(err)
	}
	return signer{id, algorithm, key}
}

// public is the key as the issuer shows it.
func (s signer) public() jose.JSONWebKey {
	return jose.JSONWebKey{Key: s.key.Public(), KeyID: s.id, Algorithm: string(s.algorithm), Use: "sig"}
}

// sign makes a token.
func (s signer) sign(t *testing.T, kind string, claims map[string]any) string {
	t.Helper()
	return signed(t, jose.SigningKey{Algorithm: s.algorithm, Key: jose.JSONWebKey{Key: s.key, KeyID: s.id}}, kind, claims)
}

func signed(t *testing.T, key jose.SigningKey, kind string, claims map[string]any) string {
	t.Helper()
	o := &jose.SignerOptions{}
	if kind != "" {
		o = o.WithType(jose.ContentType(kind))
	}
	s, err := jose.NewSigner(key, o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	token, err := out.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// good returns the claims of a valid token, with changes.
func good(changes map[string]any) map[string]any {
	c := map[string]any{
		"iss": issuer, "sub": "ada", "client_id": "desk", "aud": resource, "scope": "openid " + oauth.Scope,
		"exp": time.Now().Add(time.Hour).Unix(), "nbf": time.Now().Add(-time.Minute).Unix(), "iat": time.Now().Unix(),
	}
	maps.Copy(c, changes)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

func TestTokensOfTheIssuerForThisLeagueCount(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA} {
		s := newSigner(t, "one", algorithm)
		i := oauth.NewIssuer(issuer, newKeys(s.public()).client())
		for name, token := range map[string]string{
			"an access token":          s.sign(t, "at+jwt", good(nil)),
			"a JWT":                    s.sign(t, "JWT", good(nil)),
			"no type":                  s.sign(t, "", good(nil)),
			"several audiences":        s.sign(t, "at+jwt", good(map[string]any{"aud": []string{"x", resource}})),
			"scopes as a list":         s.sign(t, "at+jwt", good(map[string]any{"scope": []string{oauth.Scope}})),
			"scp":                      s.sign(t, "at+jwt", good(map[string]any{"scope": nil, "scp": []string{oauth.Scope}})),
			"no key id":                signer{"", s.algorithm, s.key}.sign(t, "at+jwt", good(nil)),
			"clocks that differ a bit": s.sign(t, "at+jwt", good(map[string]any{"nbf": time.Now().Add(5 * time.Second).Unix()})),
		} {
			grant, err := i.Verify(t.Context(), token, resource)
			if err != nil || grant != (oauth.Grant{Subject: "ada", Client: "desk"}) {
				t.Errorf("%s, %s: got %v, %v", algorithm, name, grant, err)
			}
		}
	}
}

func TestOtherTokensDoNotCount(t *testing.T) {
	t.Parallel()
	s, stranger := newSigner(t, "one", jose.RS256), newSigner(t, "one", jose.RS256)
	i := oauth.NewIssuer(issuer, newKeys(s.public(), newSigner(t, "two", jose.ES256).public()).client())
	whole := s.sign(t, "at+jwt", good(nil))
	parts := strings.Split(whole, ".")
	for name, c := range map[string]struct {
		token string
		want  error
		why   string
	}{
		"nothing":             {"", oauth.ErrInvalid, "no JWT"},
		"no JWT":              {"tok_admin_1234", oauth.ErrInvalid, "no JWT"},
		"a long one":          {strings.Repeat("a", 1<<16), oauth.ErrInvalid, "longer than"},
		"another's signature": {stranger.sign(t, "at+jwt", good(nil)), oauth.ErrInvalid, "signature"},
		"claims changed":      {parts[0] + "." + encode(`{"iss":"`+issuer+`","scope":"league:admin"}`) + "." + parts[2], oauth.ErrInvalid, "signature"},
		"no signature":        {parts[0] + "." + parts[1] + ".", oauth.ErrInvalid, "signature"},
		"alg none":            {encode(`{"alg":"none"}`) + "." + parts[1] + ".", oauth.ErrInvalid, "no JWT signed with"},
		"alg None":            {encode(`{"alg":"None","kid":"one"}`) + "." + parts[1] + "." + parts[2], oauth.ErrInvalid, "no JWT signed with"},
		"HS256, public key":   {signed(t, secretOf(t, s, "DER"), "at+jwt", good(nil)), oauth.ErrInvalid, "no JWT signed with"},
		"HS256, as PEM":       {signed(t, secretOf(t, s, "PEM"), "at+jwt", good(nil)), oauth.ErrInvalid, "no JWT signed with"},
		"RS512":               {signer{"one", jose.RS512, s.key}.sign(t, "at+jwt", good(nil)), oauth.ErrInvalid, "no JWT signed with"},
		"unknown key":         {signer{"three", s.algorithm, s.key}.sign(t, "at+jwt", good(nil)), oauth.ErrInvalid, `no key "three"`},
		"key of another kind": {signer{"two", s.algorithm, s.key}.sign(t, "at+jwt", good(nil)), oauth.ErrInvalid, `no key "two" for RS256`},
		"another issuer":      {s.sign(t, "at+jwt", good(map[string]any{"iss": issuer + "/"})), oauth.ErrInvalid, "issued by"},
		"no issuer":           {s.sign(t, "at+jwt", good(map[string]any{"iss": nil})), oauth.ErrInvalid, "issued by"},
		"another audience":    {s.sign(t, "at+jwt", good(map[string]any{"aud": "https://league.example.org/other"})), oauth.ErrInvalid, "issued for"},
		"a longer audience":   {s.sign(t, "at+jwt", good(map[string]any{"aud": resource + ".evil.example"})), oauth.ErrInvalid, "issued for"},
		"no audience":         {s.sign(t, "at+jwt", good(map[string]any{"aud": nil})), oauth.ErrInvalid, "issued for"},
		"expired":             {s.sign(t, "at+jwt", good(map[string]any{"exp": time.Now().Add(-time.Hour).Unix()})), oauth.ErrInvalid, "expired at"},
		"no expiry":           {s.sign(t, "at+jwt", good(map[string]any{"exp": nil})), oauth.ErrInvalid, "never expires"},
		"not yet":             {s.sign(t, "at+jwt", good(map[string]any{"nbf": time.Now().Add(time.Hour).Unix()})), oauth.ErrInvalid, "only later"},
		"issued tomorrow":     {s.sign(t, "at+jwt", good(map[string]any{"iat": time.Now().Add(24 * time.Hour).Unix()})), oauth.ErrInvalid, "only later"},
		"bound to a key":      {s.sign(t, "at+jwt", good(map[string]any{"cnf": map[string]string{"jkt": "x"}})), oauth.ErrInvalid, "bound"},
		"a logout token":      {s.sign(t, "logout+jwt", good(nil)), oauth.ErrInvalid, `type is "logout+jwt"`},
		"no scope":            {s.sign(t, "at+jwt", good(map[string]any{"scope": nil})), oauth.ErrScope, "league:admin"},
		"another scope":       {s.sign(t, "at+jwt", good(map[string]any{"scope": "league:admins league"})), oauth.ErrScope, "league:admin"},
		"odd claims":          {s.sign(t, "at+jwt", good(map[string]any{"scope": 7})), oauth.ErrInvalid, "cannot be read"},
	} {
		grant, err := i.Verify(t.Context(), c.token, resource)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.why) || grant != (oauth.Grant{}) {
			t.Errorf("%s: got %v, %v; want %v with %q", name, grant, err, c.want, c.why)
		}
	}
	if _, err := i.Verify(t.Context(), whole, resource); err != nil {
		t.Errorf("the token itself: %v", err)
	}
}

func encode(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// secretOf returns a public key as if it were a shared secret.
func secretOf(t *testing.T, s signer, form string) jose.SigningKey {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(s.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	if form == "PEM" {
		der = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	}
	return jose.SigningKey{Algorithm: jose.HS256, Key: jose.JSONWebKey{Key: der, KeyID: s.id}}
}
