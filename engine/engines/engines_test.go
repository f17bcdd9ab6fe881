package engines

import (
	"strings"
	"testing"
)

func TestAddressNamesAnEngine(t *testing.T) {
	for _, test := range []struct {
		address string
		shared  bool
		wrong   string // what the error says; "": there is none
	}{
		{address: ""},
		{address: "journal"},
		{address: "nats://a:4222,b:4222,c:4222?replicas=3", shared: true},
		{address: "tls://user:secret@a:4222", shared: true},
		{address: "journal://SHARED", wrong: "takes nothing after its name"},
		{address: "nats://a:4222?replica=3", wrong: "no such option"},
		{address: "nats", wrong: "want nats://HOST:PORT"},
		{address: "etcd://a:2379", wrong: `use one of journal, nats, tls, got "etcd"`},
		{address: "a:4222", wrong: "use one of journal"},
	} {
		choice, err := Parse(test.address)
		switch {
		case test.wrong != "":
			if err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("%q: got %v, want an error with %q", test.address, err, test.wrong)
			}
		case err != nil || choice.Shared() != test.shared:
			t.Errorf("%q: got shared %v and %v, want shared %v", test.address, choice.Shared(), err, test.shared)
		}
	}
}

func TestZeroChoiceIsTheJournal(t *testing.T) {
	e, err := Choice{}.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Secret(t.Context(), "s"); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
