package enginetest

import (
	"bytes"
	"errors"
	"iter"
	"time"

	"agentleague/engine"
)

// refused fails the law unless err is want.
func (r *rig) refused(what string, err, want error) {
	r.Helper()
	if !errors.Is(err, want) {
		r.Errorf("%s: got error %v, want %v", what, err, want)
	}
}

// append writes data after prev, which has to succeed.
func (r *rig) append(e engine.Engine, log string, prev uint64, data string) {
	r.Helper()
	r.mark(e, log, prev, data)
}

// mark writes data after prev, which has to succeed, and returns where it stands.
func (r *rig) mark(e engine.Engine, log string, prev uint64, data string) engine.Mark {
	r.Helper()
	at, err := e.Append(r.Context(), log, prev, []byte(data))
	r.must("append", err)
	if at.Seq != prev+1 {
		r.Fatalf("append after %d: got sequence %d, want %d", prev, at.Seq, prev+1)
	}
	return at
}

// appendAll writes batches to an empty log.
func (r *rig) appendAll(e engine.Engine, log string, batches ...string) {
	r.Helper()
	for i, b := range batches {
		r.append(e, log, uint64(i), b)
	}
}

// reads fails the law unless the log from sequence from on is want, without a gap.
func (r *rig) reads(e engine.Engine, log string, from uint64, want ...string) {
	r.Helper()
	got, err := collect(e.Read(r.Context(), log, from))
	r.must("read", err)
	if len(got) != len(want) {
		r.Fatalf("read %s from %d: got %d entries, want %d", log, from, len(got), len(want))
	}
	for i, w := range want {
		if seq := max(from, 1) + uint64(i); got[i].Seq != seq || !bytes.Equal(got[i].Data, []byte(w)) {
			r.Errorf("read %s from %d: got entry %d %.40q, want %d %.40q", log, from, got[i].Seq, got[i].Data, seq, w)
		}
	}
}

// secret returns a secret, which has to be there.
func (r *rig) secret(e engine.Engine, name string) []byte {
	r.Helper()
	b, err := e.Secret(r.Context(), name)
	r.must("secret", err)
	return b
}

// claim acquires a free key for one TTL: for laws in which it runs out.
func (r *rig) claim(e engine.Engine, key, holder string) engine.Claim {
	r.Helper()
	return r.claimFor(e, key, holder, r.TTL)
}

// keep acquires a free key for longer than any law takes on a busy machine.
func (r *rig) keep(e engine.Engine, key, holder string) engine.Claim {
	r.Helper()
	return r.claimFor(e, key, holder, time.Hour)
}

// claimFor acquires a free lease.
func (r *rig) claimFor(e engine.Engine, key, holder string, ttl time.Duration) engine.Claim {
	r.Helper()
	c, err := e.Acquire(r.Context(), key, holder, ttl)
	r.must("acquire", err)
	return c
}

// held fails the law unless every handle sees that holder has the key.
func (r *rig) held(key, holder string, by ...engine.Engine) {
	r.Helper()
	for _, e := range by {
		got, err := e.Holder(r.Context(), key)
		r.must("holder", err)
		if got != holder {
			r.Errorf("holder of %s: got %q, want %q", key, got, holder)
		}
	}
}

// refusedBy fails the law unless err names the holder of the key.
func (r *rig) refusedBy(holder, key string, err error) {
	r.Helper()
	var held *engine.HeldError
	if !errors.As(err, &held) || held.Holder != holder || held.Key != key {
		r.Errorf("acquire a held key: got error %v, want that %s is held by %s", err, key, holder)
	}
}

// collect reads to the end or to the first error.
func collect(entries iter.Seq2[engine.Entry, error]) (out []engine.Entry, err error) {
	for e, err := range entries {
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}
