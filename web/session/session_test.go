package session

import (
	"fmt"
	"strings"
	"testing"
)

func TestASessionIsKnownToAllSitesWithTheSameKey(t *testing.T) {
	a, b, other, alone := NewAdmins([]byte("key")), NewAdmins([]byte("key")), NewAdmins([]byte("another")), NewAdmins(nil)
	secret := a.Open()
	for _, s := range []struct {
		name  string
		site  *Admins
		knows bool
	}{{"its own", a, true}, {"one with the same key", b, true}, {"one with another key", other, false}, {"one without", alone, false}} {
		if got := s.site.Has(secret); got != s.knows {
			t.Errorf("%s: knows it %v, want %v", s.name, got, s.knows)
		}
	}
	until, rest, _ := strings.Cut(secret, ".")
	for _, forged := range []string{"9" + until + "." + rest, until + ".", until, "", ".", rest} {
		if b.Has(forged) {
			t.Errorf("a forged one is believed: %s", forged)
		}
	}
	if alone.Has(alone.Open() + "x") {
		t.Error("another one is believed")
	}
}

func TestASessionThatWasClosedIsOver(t *testing.T) {
	for _, key := range [][]byte{nil, []byte("key")} {
		s := NewAdmins(key)
		secret := s.Open()
		s.Close(secret)
		if s.Has(secret) {
			t.Errorf("with key %q it goes on", key)
		}
	}
}

func TestTheThrottleOfLoginsIsBounded(t *testing.T) {
	var throttle Throttle
	for n := range 3 * loginAddresses {
		throttle.Failed(fmt.Sprint(n))
	}
	if len(throttle.known) != loginAddresses || throttle.order.Len() != loginAddresses {
		t.Errorf("it remembers %d and %d addresses", len(throttle.known), throttle.order.Len())
	}
}
