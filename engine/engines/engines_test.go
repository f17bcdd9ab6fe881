package engines

import (
	"strings"
	"testing"
)

func TestAddressNamesAnEngine(t *testing.T) {
	for _, test := range []struct {
		address string
		options Options
		shared  bool
		wrong   string // part of the error; "": no error
	}{
		{address: ""},
		{address: "journal"},
		{address: "nats://user:secret@a:4222,b:4222,c:4222?replicas=3", shared: true},
		{address: "nats://token@a:4222", shared: true},
		{address: "nats://a:4222?creds=user.creds", shared: true},
		{address: "nats://127.0.0.1:4222,127.0.0.2:4222,[::1]:4222,localhost:4222", shared: true},
		{address: "nats://a:4222,b:4222", options: Options{InsecureNATS: true}, shared: true},
		{address: "nats://127.0.0.1:4222,a:4222", wrong: "a:4222: the address has no credentials"},
		{address: "nats://@a:4222", wrong: "a:4222: the address has no credentials"},
		{address: "nats://localhost.example.org:4222", wrong: "no credentials"},
		{address: "tls://10.0.0.1:4222", wrong: "10.0.0.1:4222: the address has no credentials"},
		{address: "tls://user:secret@a:4222", shared: true},
		{address: "journal://SHARED", wrong: "takes nothing after its name"},
		{address: "nats://a:4222?replica=3", wrong: "no such option"},
		{address: "nats", wrong: "want nats://HOST:PORT"},
		{address: "etcd://a:2379", wrong: `use one of journal, nats, tls, got "etcd"`},
		{address: "a:4222", wrong: "use one of journal"},
	} {
		choice, err := Parse(test.address, test.options)
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

func TestExamplesAreAddresses(t *testing.T) {
	for _, example := range Examples() {
		if _, err := Parse(example, Options{}); err != nil {
			t.Errorf("%s: %v", example, err)
		}
	}
	if len(Examples()) < 2 {
		t.Errorf("got %q, want one for each engine", Examples())
	}
}
