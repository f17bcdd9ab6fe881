package shelf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"agentleague/cluster/shelf"
	"agentleague/engine"
	"agentleague/engine/sim"
	"agentleague/protocol"
)

// A root keeps records in memory.
type root struct {
	mu   sync.Mutex
	kept map[string][]byte
	full bool
}

func newRoot() *root { return &root{kept: map[string][]byte{}} }

func (r *root) Has(match, hash string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	doc, ok := r.kept[match]
	return ok && (hash == "" || hash == protocol.RecordHash(doc))
}

func (r *root) Load(match string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept[match], nil
}

var errFull = errors.New("the disk is full")

func (r *root) Store(match string, doc []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.full {
		return errFull
	}
	r.kept[match] = bytes.Clone(doc)
	return nil
}

func open(t *testing.T, e engine.Engine, r *root) *shelf.Shelf {
	t.Helper()
	s, err := shelf.Open(t.Context(), e, "spring", r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func store(t *testing.T, s *shelf.Shelf, match, doc string) {
	t.Helper()
	if err := s.Store(match, []byte(doc)); err != nil {
		t.Fatal(err)
	}
}

func TestWhoTakesALeagueOverHasEveryRecord(t *testing.T) {
	cluster := sim.New(1)
	one, other := newRoot(), newRoot()
	a := open(t, cluster.Open(sim.Options{}), one)
	noise := make([]byte, 1500) // it does not pack, and so has several parts
	chance := rand.NewChaCha8([32]byte{})
	chance.Read(noise)
	store(t, a, "R1M1", "first")
	store(t, a, "R1M2", string(noise))
	store(t, a, "R1M3", strings.Repeat("long ", 1<<10))
	store(t, a, "R1M1", "played again")
	n := len(cluster.Entries(shelf.Name("spring")))
	store(t, a, "R1M1", "played again")
	if again := len(cluster.Entries(shelf.Name("spring"))); again != n || n != 5 {
		t.Errorf("%d entries, and %d when one is stored again; want 5 and 5", n, again)
	}
	for match, doc := range one.kept {
		if !a.Has(match, protocol.RecordHash(doc)) || !a.Has(match, "") || a.Has(match, protocol.RecordHash([]byte("x"))) {
			t.Errorf("%s is stored, and the shelf does not say so", match)
		}
	}
	b := open(t, cluster.Open(sim.Options{}), other)
	for match, doc := range one.kept {
		if !bytes.Equal(other.kept[match], doc) || !b.Has(match, protocol.RecordHash(doc)) {
			t.Errorf("%s: %d bytes, want %d", match, len(other.kept[match]), len(doc))
		}
	}
	if b.Has("R9M9", "") {
		t.Error("it has a record that nobody stored")
	}
}

// A record that only the root has, from before the league was in the cluster, is copied to the cluster on demand.
func TestARecordOfTheRootAloneIsBroughtToTheCluster(t *testing.T) {
	r, other := newRoot(), newRoot()
	r.kept["R1M1"] = []byte("old")
	cluster := sim.New(1)
	e := cluster.Open(sim.Options{})
	s := open(t, e, r)
	if !s.Has("R1M1", protocol.RecordHash([]byte("old"))) {
		t.Error("the root has it")
	}
	open(t, cluster.Open(sim.Options{}), other)
	if string(other.kept["R1M1"]) != "old" {
		t.Errorf("another manager finds %q", other.kept["R1M1"])
	}
	r.kept["R1M2"] = []byte("new")
	if err := e.Close(); err != nil || s.Has("R1M2", "") {
		t.Errorf("nobody has taken it, %v, and it counts as kept", err)
	}
}

// A manager that has lost a league without noticing stores records concurrently with the new owner, and no record is
// lost.
func TestTwoManagersStoreAtOnce(t *testing.T) {
	cluster := sim.New(1)
	a, b := open(t, cluster.Open(sim.Options{}), newRoot()), open(t, cluster.Open(sim.Options{}), newRoot())
	var both sync.WaitGroup
	for name, s := range map[string]*shelf.Shelf{"a": a, "b": b} {
		both.Go(func() {
			for n := range 50 {
				if err := s.Store(fmt.Sprintf("R%dM%s", n, name), []byte(name)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	both.Wait()
	all := newRoot()
	open(t, cluster.Open(sim.Options{}), all)
	if len(all.kept) != 100 {
		t.Errorf("%d records, want 100", len(all.kept))
	}
}

// A process that is killed between two parts, or before it has stored that a part is written, leaves a record that the
// next process can complete.
func TestARecordIsWholeAfterAnyCrash(t *testing.T) {
	noise := make([]byte, 1500)
	chance := rand.NewChaCha8([32]byte{1})
	chance.Read(noise)
	for crash := range 12 {
		cluster := sim.New(1)
		steps := 0
		dying := cluster.Open(sim.Options{Await: func(context.Context, string) error {
			if steps++; steps > crash {
				runtime.Goexit()
			}
			return nil
		}})
		var life sync.WaitGroup
		life.Go(func() {
			if s, err := shelf.Open(t.Context(), dying, "spring", newRoot()); err == nil {
				_ = s.Store("R1M1", noise)
			}
		})
		life.Wait()
		s := open(t, cluster.Open(sim.Options{}), newRoot())
		if err := s.Store("R1M1", noise); err != nil {
			t.Fatal(err)
		}
		last := newRoot()
		open(t, cluster.Open(sim.Options{}), last)
		if !bytes.Equal(last.kept["R1M1"], noise) {
			t.Errorf("a crash at step %d: %d bytes, want %d", crash, len(last.kept["R1M1"]), len(noise))
		}
	}
}

func TestAFullDiskIsToldAndNothingIsLost(t *testing.T) {
	r := newRoot()
	cluster := sim.New(1)
	s := open(t, cluster.Open(sim.Options{}), r)
	r.full = true
	if err := s.Store("R1M1", []byte("x")); !errors.Is(err, errFull) || s.Has("R1M1", "") {
		t.Errorf("a full disk: %v", err)
	}
	r.full = false
	store(t, s, "R1M1", "x")
	late := newRoot()
	late.full = true
	if _, err := shelf.Open(t.Context(), cluster.Open(sim.Options{}), "spring", late); !errors.Is(err, errFull) {
		t.Errorf("who takes the league over on a full disk: %v", err)
	}
}
