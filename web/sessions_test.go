package web

import (
	"strings"
	"testing"
)

func TestASessionIsKnownToAllSitesWithTheSameKey(t *testing.T) {
	a, b, other, alone := newSessions([]byte("key")), newSessions([]byte("key")), newSessions([]byte("another")), newSessions(nil)
	secret := a.open()
	for _, s := range []struct {
		name  string
		site  *sessions
		knows bool
	}{{"its own", a, true}, {"one with the same key", b, true}, {"one with another key", other, false}, {"one without", alone, false}} {
		if got := s.site.has(secret); got != s.knows {
			t.Errorf("%s: knows it %v, want %v", s.name, got, s.knows)
		}
	}
	until, rest, _ := strings.Cut(secret, ".")
	for _, forged := range []string{"9" + until + "." + rest, until + ".", until, "", ".", rest} {
		if b.has(forged) {
			t.Errorf("a forged one is believed: %s", forged)
		}
	}
	if alone.has(alone.open() + "x") {
		t.Error("another one is believed")
	}
}

func TestASessionThatWasClosedIsOver(t *testing.T) {
	for _, key := range [][]byte{nil, []byte("key")} {
		s := newSessions(key)
		secret := s.open()
		s.close(secret)
		if s.has(secret) {
			t.Errorf("with key %q it goes on", key)
		}
	}
}
