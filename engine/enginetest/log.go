package enginetest

import (
	"fmt"
	"strings"

	"agentleague/engine"
)

// logLaws are the guarantees of a season: nothing acknowledged is lost, and every entry is read as it was written.
var logLaws = []law{
	{"what is appended is read back", appendedIsReadBack},
	{"any bytes come back as they were", anyBytesComeBack},
	{"read starts where it is told", readStartsWhereTold},
	{"read can be broken off", readCanBeBrokenOff},
	{"read beside an appender is dense", readBesideAppender},
	{"logs are independent", logsAreIndependent},
	{"the log keeps its own copies", logKeepsCopies},
	{"an empty batch is refused", emptyBatchIsRefused},
	{"reopening sees everything acknowledged", reopenSeesEverything},
	{"a damaged log is refused", damagedLogIsRefused},
}

// An append that has returned is there for every reader, numbered from 1 without gaps.
func appendedIsReadBack(r *rig) {
	a, b := r.pair()
	r.reads(a, "league", 0)
	r.appendAll(a, "league", "one", "two", "three")
	r.reads(a, "league", 0, "one", "two", "three")
	r.reads(b, "league", 0, "one", "two", "three")
}

// A batch is opaque to the engine. Its encoding and length are up to the caller.
func anyBytesComeBack(r *rig) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	batches := []string{string(every), "\n", "\x00", `{"a": [1,  2]}` + "\n", `"`, strings.Repeat("x", 512<<10)}
	e := r.open()
	r.appendAll(e, "league", batches...)
	r.reads(e, "league", 0, batches...)
}

// A follower goes on behind the last entry that it has seen.
func readStartsWhereTold(r *rig) {
	e := r.open()
	r.appendAll(e, "league", "one", "two", "three")
	r.reads(e, "league", 0, "one", "two", "three")
	r.reads(e, "league", 1, "one", "two", "three")
	r.reads(e, "league", 3, "three")
	r.reads(e, "league", 4)
	r.reads(e, "league", ^uint64(0))
}

// A reader that stops early must hold no lock that blocks appends.
func readCanBeBrokenOff(r *rig) {
	e := r.open()
	r.appendAll(e, "league", "one", "two")
	for _, err := range e.Read(r.Context(), "league", 0) {
		r.must("read", err)
		r.must("append while reading", r.within("append while reading", func() error {
			_, err := e.Append(r.Context(), "league", 2, []byte("three"))
			return err
		}))
		break
	}
	r.reads(e, "league", 0, "one", "two", "three")
}

// During concurrent appends a reader sees a prefix of the log, never an entry without the ones before it.
func readBesideAppender(r *rig) {
	const n = 50
	a, b := r.pair()
	done := make(chan error, 1)
	go func() { done <- appendMany(r, a, n) }()
	for seen, last := 0, false; !last; {
		select {
		case err := <-done:
			r.must("append", err)
			last = true
		default:
		}
		got, err := collect(b.Read(r.Context(), "league", 0))
		r.must("read", err)
		if len(got) < seen || last && len(got) != n {
			r.Fatalf("got %d entries, want at least the %d seen before, and %d in the end", len(got), seen, n)
		}
		seen = len(got)
		for i, e := range got {
			if e.Seq != uint64(i)+1 {
				r.Fatalf("entry %d has sequence %d", i+1, e.Seq)
			}
		}
	}
}

// appendMany appends n entries, one by one; it runs in other goroutines, so it returns errors.
func appendMany(r *rig, e engine.Engine, n uint64) error {
	for prev := range n {
		if _, err := e.Append(r.Context(), "league", prev, []byte("x")); err != nil {
			return err
		}
	}
	return nil
}

// Each log counts for itself.
func logsAreIndependent(r *rig) {
	e := r.open()
	r.appendAll(e, "league_a", "a1", "a2")
	r.appendAll(e, "league_b", "b1")
	r.append(e, "league_a", 2, "a3")
	r.reads(e, "league_a", 0, "a1", "a2", "a3")
	r.reads(e, "league_b", 0, "b1")
}

// The caller may reuse its batch after an append, and change the entries it has read.
func logKeepsCopies(r *rig) {
	e := r.open()
	batch := []byte("truth")
	_, err := e.Append(r.Context(), "league", 0, batch)
	r.must("append", err)
	copy(batch, "false")
	for entry, err := range e.Read(r.Context(), "league", 0) {
		r.must("read", err)
		copy(entry.Data, "worse")
	}
	r.reads(e, "league", 0, "truth")
}

// An entry without bytes is an error of the caller.
func emptyBatchIsRefused(r *rig) {
	e := r.open()
	for _, batch := range [][]byte{nil, {}} {
		_, err := e.Append(r.Context(), "league", 0, batch)
		r.refused("append nothing", err, engine.ErrEmpty)
	}
	r.reads(e, "league", 0)
}

// The promise on which a league rests: acknowledged data survives the end of the process.
func reopenSeesEverything(r *rig) {
	var want []string
	for opening := range 3 {
		e := r.open()
		r.reads(e, "league", 0, want...)
		for i := range 10 {
			batch := fmt.Sprintf("opening %d batch %d", opening, i)
			r.append(e, "league", uint64(len(want)), batch)
			want = append(want, batch)
		}
		_, err := e.Append(r.Context(), "league", 0, []byte("late"))
		r.refused("append at the start", err, engine.ErrFenced)
		r.must("close", e.Close())
	}
	r.reads(r.open(), "league", 0, want...)
}

// A league must not continue from a log that has lost an entry; the error reports damage, not the end of the log.
func damagedLogIsRefused(r *rig) {
	if r.Damage == nil {
		return
	}
	for _, seq := range []uint64{1, 3, 5} {
		log := fmt.Sprintf("league_%d", seq)
		e := r.open()
		r.appendAll(e, log, "one", "two", "three", "four", "five")
		r.appendAll(e, log+"_sound", "one")
		r.must("close", e.Close())
		r.Damage(r.T, log, seq)
		r.seesDamage(log)
	}
}

// seesDamage opens the store, is refused the damaged log and is given the sound one.
func (r *rig) seesDamage(log string) {
	r.Helper()
	e := r.open()
	_, err := collect(e.Read(r.Context(), log, 0))
	r.refused("read "+log, err, engine.ErrDamaged)
	if _, err := e.Append(r.Context(), log, 5, []byte("six")); err == nil {
		r.Errorf("append to damaged %s is acknowledged", log)
	}
	r.reads(e, log+"_sound", 0, "one")
	r.must("close", e.Close())
}
