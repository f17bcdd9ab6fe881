package sim_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/engine/sim"
)

// failing opens a handle on s whose operation with that key fails.
func failing(s *sim.Store, key string, f sim.Fault) *sim.Engine {
	return s.Open(sim.Options{Fault: func(k string) sim.Fault {
		if k == key {
			return f
		}
		return sim.None
	}})
}

func TestFaultBeforeAppendWritesNothingAndAfterItWrites(t *testing.T) {
	for fault, want := range map[sim.Fault]int{sim.FailBefore: 0, sim.FailAfter: 1} {
		s := sim.New(1)
		_, err := failing(s, "append log 1", fault).Append(t.Context(), "log", 0, []byte("x"))
		if !errors.Is(err, sim.ErrFault) || errors.Is(err, engine.ErrFenced) {
			t.Errorf("fault %d: got error %v, want %v", fault, err, sim.ErrFault)
		}
		if got := len(s.Entries("log")); got != want {
			t.Errorf("fault %d: got %d entries, want %d", fault, got, want)
		}
	}
}

func TestFullStoreWritesNothingAndSaysSo(t *testing.T) {
	s := sim.New(1)
	_, err := failing(s, "append log 1", sim.Full).Append(t.Context(), "log", 0, []byte("x"))
	if !errors.As(err, new(*engine.FullError)) || len(s.Entries("log")) != 0 {
		t.Errorf("got error %v and %d entries, want a FullError and none", err, len(s.Entries("log")))
	}
}

func TestStoreThatIsAwayWritesNothingAndSaysSo(t *testing.T) {
	s := sim.New(1)
	_, err := failing(s, "append log 1", sim.Away).Append(t.Context(), "log", 0, []byte("x"))
	if !errors.As(err, new(*engine.AwayError)) || len(s.Entries("log")) != 0 {
		t.Errorf("got error %v and %d entries, want an AwayError and none", err, len(s.Entries("log")))
	}
}

func TestFaultHidesThatAnAppendWasFenced(t *testing.T) {
	s := sim.New(1)
	_, err := failing(s, "append log 8", sim.FailAfter).Append(t.Context(), "log", 7, []byte("x"))
	if !errors.Is(err, sim.ErrFault) || errors.Is(err, engine.ErrFenced) {
		t.Errorf("got error %v, want only %v", err, sim.ErrFault)
	}
}

func TestEveryOperationCanFail(t *testing.T) {
	keys := []string{
		"append log 1", "read log 1", "secret draw", "acquire key me", "renew key me", "release key me", "holder key",
	}
	for _, key := range keys {
		if err := use(t.Context(), failing(sim.New(1), key, sim.FailBefore)); !errors.Is(err, sim.ErrFault) {
			t.Errorf("%s: got error %v, want %v", key, err, sim.ErrFault)
		}
	}
}

func TestFaultAfterReadComesLast(t *testing.T) {
	s := sim.New(1)
	e := failing(s, "read log 1", sim.FailAfter)
	if _, err := e.Append(t.Context(), "log", 0, []byte("x")); err != nil {
		t.Fatal(err)
	}
	var got []error
	for _, err := range e.Read(t.Context(), "log", 0) {
		got = append(got, err)
	}
	if len(got) != 2 || got[0] != nil || !errors.Is(got[1], sim.ErrFault) {
		t.Errorf("got %v, want one entry and then %v", got, sim.ErrFault)
	}
}

func TestFaultAfterAcquireLeavesTheKeyHeld(t *testing.T) {
	s := sim.New(1)
	if _, err := failing(s, "acquire key me", sim.FailAfter).Acquire(t.Context(), "key", "me", time.Hour); !errors.Is(err,
		sim.ErrFault) {
		t.Errorf("got error %v, want %v", err, sim.ErrFault)
	}
	if got, err := s.Open(sim.Options{}).Holder(t.Context(), "key"); got != "me" || err != nil {
		t.Errorf("holder: got %q, %v, want %q", got, err, "me")
	}
}

func TestSecretsRepeatWithTheSeed(t *testing.T) {
	secret := func(seed uint64) []byte {
		b, err := sim.New(seed).Open(sim.Options{}).Secret(t.Context(), "draw")
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if !bytes.Equal(secret(7), secret(7)) {
		t.Error("one seed gives two secrets")
	}
	if bytes.Equal(secret(7), secret(8)) {
		t.Error("two seeds give one secret")
	}
}

func TestEntriesAreCopies(t *testing.T) {
	s := sim.New(1)
	if _, err := s.Open(sim.Options{}).Append(t.Context(), "log", 0, []byte("truth")); err != nil {
		t.Fatal(err)
	}
	copy(s.Entries("log")[0].Data, "false")
	if got := s.Entries("log")[0]; got.Seq != 1 || string(got.Data) != "truth" {
		t.Errorf("got entry %d %q, want 1 %q", got.Seq, got.Data, "truth")
	}
}

func TestDamageNamesTheMissingEntry(t *testing.T) {
	s := sim.New(1)
	e := s.Open(sim.Options{})
	for prev := range uint64(3) {
		if _, err := e.Append(t.Context(), "log", prev, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	s.Drop("log", 2)
	for _, err := range e.Read(t.Context(), "log", 0) {
		if want := "read log 1: log is damaged: entry 2 of 3 is missing"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
