package oauth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// The cache lifetime of an issuer's keys, their maximum age while it does not answer, and the minimum interval
// between requests: any client can send a token with an unknown key.
const (
	keyLifetime      = 10 * time.Minute
	maxKeyAge        = time.Hour
	minRenewInterval = 10 * time.Second
)

// An Issuer is an authorization server, whose tokens are verified with its published keys. The keys are fetched for
// the first token.
type Issuer struct {
	// Failed is called for each failed fetch of the keys with the reason. Callers do not receive it: they may be
	// anonymous. It may be nil.
	Failed func(err error)

	name   string
	client *http.Client

	mu    sync.Mutex
	set   jose.JSONWebKeySet
	had   time.Time // when the keys were read; zero: never
	asked time.Time // when it was asked last
	why   error     // the reason of the last failure
}

// NewIssuer returns the authorization server of that name, which is called with the client.
func NewIssuer(name string, client *http.Client) *Issuer { return &Issuer{name: name, client: client} }

// Name is the issuer's, as its tokens have it.
func (i *Issuer) Name() string { return i.name }

// keys returns the issuer's keys for that key id and algorithm.
func (i *Issuer) keys(ctx context.Context, id string, algorithm jose.SignatureAlgorithm) ([]jose.JSONWebKey, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	found := pick(i.set, id, algorithm)
	now := time.Now()
	if len(found) > 0 && now.Sub(i.had) < keyLifetime {
		return found, nil
	}
	if i.asked.IsZero() || now.Sub(i.asked) >= minRenewInterval {
		i.asked = now
		i.renew(ctx)
		found = pick(i.set, id, algorithm)
	}
	if i.why != nil && (len(found) == 0 || now.Sub(i.had) > maxKeyAge) {
		return nil, ErrIssuer
	}
	return found, nil
}

// renew fetches the keys. After a failure the previous keys stay valid. The caller holds the lock.
func (i *Issuer) renew(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
	defer cancel()
	set, err := i.discover(ctx)
	switch i.why = err; {
	case err == nil:
		i.set, i.had = set, time.Now()
	case i.Failed != nil:
		i.Failed(err)
	}
}

// renewTimeout is the timeout of one renewal of the keys, with all its requests.
const renewTimeout = 10 * time.Second

// discover finds the keys of the issuer by RFC 8414 or OpenID Connect Discovery.
func (i *Issuer) discover(ctx context.Context) (set jose.JSONWebKeySet, err error) {
	for _, at := range wellKnown(i.name) {
		var about struct {
			Issuer string `json:"issuer"`
			Keys   string `json:"jwks_uri"`
		}
		if failed := i.get(ctx, at, &about); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		switch {
		case about.Issuer != i.name:
			return set, fmt.Errorf("%s is about the issuer %.100q and not about %s", at, about.Issuer, i.name)
		case !safe(about.Keys):
			return set, fmt.Errorf("%s has its keys at %.100q, which is no https address", at, about.Keys)
		}
		return i.read(ctx, about.Keys)
	}
	return set, err
}

// read reads the keys at an address and skips unknown kinds.
func (i *Issuer) read(ctx context.Context, address string) (set jose.JSONWebKeySet, err error) {
	var all struct {
		Keys []json.RawMessage `json:"keys"`
	}
	err = i.get(ctx, address, &all)
	for _, text := range all.Keys {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(text) == nil {
			set.Keys = append(set.Keys, key)
		}
	}
	return set, err
}

// wellKnown lists the addresses of an issuer's metadata.
func wellKnown(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil
	}
	origin, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	out := []string{
		origin + "/.well-known/oauth-authorization-server" + path, origin + "/.well-known/openid-configuration" + path,
	}
	if path != "" {
		out = append(out, origin+path+"/.well-known/openid-configuration")
	}
	return out
}

// safe reports whether an address is protected against changes in transit.
func safe(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	here := u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && here
}

// get reads a JSON document of the issuer.
func (i *Issuer) get(ctx context.Context, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	answer, err := i.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered HTTP %d", address, answer.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostBytes+1))
	switch {
	case err != nil:
		return err
	case len(text) > mostBytes:
		return fmt.Errorf("%s answered more than %d bytes", address, mostBytes)
	case json.Unmarshal(text, into) != nil:
		return errors.New(address + " answered something else than the JSON that belongs there")
	}
	return nil
}

// mostBytes limits the size of an issuer's document.
const mostBytes = 1 << 20

// pick finds the keys for signatures of that id and algorithm. A token without an id may be signed with any.
func pick(set jose.JSONWebKeySet, id string, algorithm jose.SignatureAlgorithm) (out []jose.JSONWebKey) {
	for _, key := range set.Keys {
		fits := (id == "" || key.KeyID == id) && (key.Use == "" || key.Use == "sig") &&
			(key.Algorithm == "" || key.Algorithm == string(algorithm))
		if fits && suits(key.Key, algorithm) && len(out) < mostKeys {
			out = append(out, key)
		}
	}
	return out
}

// mostKeys limits the number of keys that are tried on one token.
const mostKeys = 16

// suits reports whether a key is a public one for an algorithm.
func suits(key any, algorithm jose.SignatureAlgorithm) (yes bool) {
	switch algorithm {
	case jose.RS256:
		_, yes = key.(*rsa.PublicKey)
	case jose.ES256:
		_, yes = key.(*ecdsa.PublicKey)
	case jose.EdDSA:
		_, yes = key.(ed25519.PublicKey)
	}
	return yes
}
