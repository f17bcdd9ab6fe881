package enginetest

import (
	"bytes"
	"sync"

	"agentleague/engine"
)

// secretLaws are about secrets, which are in no log.
var secretLaws = []law{
	{"a secret is made once", secretIsMadeOnce},
	{"a secret is the same after reopening", secretOutlivesTheHandle},
	{"secrets differ by name", secretsDifferByName},
}

// All draws follow from the secret of a league. The first caller creates it, and all concurrent callers get the same.
func secretIsMadeOnce(r *rig) {
	a, b := r.pair()
	var got [4][]byte
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			e := []engine.Engine{a, b}[i%2]
			secret, err := e.Secret(r.Context(), "draw")
			if err != nil {
				r.Errorf("secret: %v", err)
			}
			got[i] = secret
		})
	}
	wg.Wait()
	for i, secret := range got {
		if len(secret) != engine.SecretSize {
			r.Errorf("secret has %d bytes, want %d", len(secret), engine.SecretSize)
		}
		if !bytes.Equal(secret, got[0]) {
			r.Errorf("caller %d got another secret than caller 0", i)
		}
	}
}

// Draws of a league that goes on after a restart follow from the same secret.
func secretOutlivesTheHandle(r *rig) {
	e := r.open()
	before := r.secret(e, "draw")
	want := bytes.Clone(before)
	clear(before)
	if !bytes.Equal(r.secret(e, "draw"), want) {
		r.Error("writing to a returned secret changes the next")
	}
	r.must("close", e.Close())
	if !bytes.Equal(r.secret(r.open(), "draw"), want) {
		r.Error("the secret is another after reopening")
	}
}

// The secret that one league reveals at its end must reveal nothing about another.
func secretsDifferByName(r *rig) {
	e := r.open()
	if bytes.Equal(r.secret(e, "draw"), r.secret(e, "token")) {
		r.Error("two names share one secret")
	}
}
