package oauth_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"agentleague/oauth"
)

// keys are the keys of an authorization server, without a network.
type keys struct {
	mu     sync.Mutex
	docs   map[string]any // by address; a number is the status of an error
	called []string
}

const metadata = issuer + "/.well-known/oauth-authorization-server"

func newKeys(all ...jose.JSONWebKey) *keys {
	return &keys{docs: map[string]any{
		metadata:         map[string]string{"issuer": issuer, "jwks_uri": issuer + "/jwks"},
		issuer + "/jwks": jose.JSONWebKeySet{Keys: all},
	}}
}

func (k *keys) client() *http.Client { return &http.Client{Transport: k} }

func (k *keys) set(address string, doc any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.docs[address] = doc
}

// times is how often the keys were asked for.
func (k *keys) times() (n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, at := range k.called {
		if at == issuer+"/jwks" {
			n++
		}
	}
	return n
}

func (k *keys) RoundTrip(r *http.Request) (*http.Response, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.called = append(k.called, r.URL.String())
	status := http.StatusOK
	doc, ok := k.docs[r.URL.String()]
	if !ok {
		status = http.StatusNotFound
	} else if code, is := doc.(int); is {
		status = code
	}
	if status == 0 {
		return nil, errors.New("nobody answers")
	}
	text, err := json.Marshal(doc)
	return &http.Response{StatusCode: status, Request: r, Body: io.NopCloser(strings.NewReader(string(text)))}, err
}

func TestKeysAreFoundWhereTheIssuerSaysTheyAre(t *testing.T) {
	t.Parallel()
	s := newSigner(t, "one", jose.EdDSA)
	const name = "https://login.example.org/realms/a"
	for _, at := range []string{
		"https://login.example.org/.well-known/oauth-authorization-server/realms/a",
		"https://login.example.org/.well-known/openid-configuration/realms/a",
		"https://login.example.org/realms/a/.well-known/openid-configuration",
	} {
		k := newKeys()
		k.set(at, map[string]string{"issuer": name, "jwks_uri": "https://login.example.org/k"})
		k.set("https://login.example.org/k", map[string]any{"keys": []any{
			map[string]string{"kty": "AKP", "kid": "of a kind that is not known"}, s.public(),
		}})
		_, err := oauth.NewIssuer(name, k.client()).Verify(t.Context(), s.sign(t, "", good(map[string]any{"iss": name})), resource)
		if err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
}

func TestAnIssuerThatIsAnotherOneIsNotBelieved(t *testing.T) {
	t.Parallel()
	s := newSigner(t, "one", jose.EdDSA)
	for name, doc := range map[string]any{
		"is about the issuer": map[string]string{"issuer": "https://evil.example", "jwks_uri": issuer + "/jwks"},
		"no https address":    map[string]string{"issuer": issuer, "jwks_uri": "http://login.example.org/jwks"},
		"HTTP 404":            http.StatusNotFound,
		"nobody answers":      0,
		"something else":      []string{"x"},
		"more than":           strings.Repeat("x", 1<<20),
	} {
		k := newKeys(s.public())
		k.set(metadata, doc)
		i := oauth.NewIssuer(issuer, k.client())
		var why error
		i.Failed = func(err error) { why = err }
		_, err := i.Verify(t.Context(), s.sign(t, "", good(nil)), resource)
		if err != oauth.ErrIssuer || why == nil || !strings.Contains(why.Error(), name) {
			t.Errorf("%s: got %v, because %v", name, err, why)
		}
	}
}

// Any client can send tokens with unknown keys: the issuer is queried at a limited rate. A new key is found.
func TestUnknownKeysDoNotFloodTheIssuer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, next := newSigner(t, "one", jose.EdDSA), newSigner(t, "two", jose.EdDSA)
		k := newKeys(s.public())
		i := oauth.NewIssuer(issuer, k.client())
		for range 100 {
			if _, err := i.Verify(t.Context(), next.sign(t, "", good(nil)), resource); !errors.Is(err, oauth.ErrInvalid) {
				t.Fatal(err)
			}
		}
		if _, err := i.Verify(t.Context(), s.sign(t, "", good(nil)), resource); err != nil || k.times() != 1 {
			t.Errorf("got %v after %d questions, want none after 1", err, k.times())
		}
		k.set(issuer+"/jwks", jose.JSONWebKeySet{Keys: []jose.JSONWebKey{next.public()}})
		time.Sleep(time.Minute)
		if _, err := i.Verify(t.Context(), next.sign(t, "", good(nil)), resource); err != nil || k.times() != 2 {
			t.Errorf("a new key: got %v after %d questions", err, k.times())
		}
		if _, err := i.Verify(t.Context(), s.sign(t, "", good(nil)), resource); !errors.Is(err, oauth.ErrInvalid) {
			t.Errorf("a key that is gone: got %v", err)
		}
	})
}

// Keys still count for a while when the issuer does not answer, and not for ever.
func TestKeysOutliveAShortSilenceOfTheIssuer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSigner(t, "one", jose.EdDSA)
		k := newKeys(s.public())
		i := oauth.NewIssuer(issuer, k.client())
		verify := func() error {
			_, err := i.Verify(t.Context(), s.sign(t, "", good(nil)), resource)
			return err
		}
		if err := verify(); err != nil {
			t.Fatal(err)
		}
		k.set(metadata, http.StatusServiceUnavailable)
		time.Sleep(30 * time.Minute)
		if err := verify(); err != nil {
			t.Errorf("after half an hour: %v", err)
		}
		time.Sleep(time.Hour)
		if err := verify(); !errors.Is(err, oauth.ErrIssuer) {
			t.Errorf("after an hour and a half: %v", err)
		}
		k.set(metadata, map[string]string{"issuer": issuer, "jwks_uri": issuer + "/jwks"})
		time.Sleep(time.Minute)
		if err := verify(); err != nil {
			t.Errorf("when it is back: %v", err)
		}
	})
}
