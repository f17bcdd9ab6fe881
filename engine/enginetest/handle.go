package enginetest

import (
	"context"
	"strings"

	"agentleague/engine"
)

// handleLaws are about an engine as a handle: its end, cancelled calls, names.
var handleLaws = []law{
	{"a closed engine answers that it is closed", closedEngineSaysSo},
	{"closing ends subscriptions", closingEndsSubscriptions},
	{"a cancelled context is answered promptly", cancelledContextIsAnswered},
	{"bad names are refused", badNamesAreRefused},
	{"good names are taken", goodNamesAreTaken},
}

// A call that comes after Close is a mistake in the order of an ending, and must not be taken for a fault of the
// disk.
func closedEngineSaysSo(r *rig) {
	e := r.open()
	claim := r.claim(e, "key", "one")
	r.must("close", e.Close())
	r.must("close again", e.Close())
	for _, c := range calls(r.Context(), e, "name") {
		r.refused(c.name, c.do(), engine.ErrClosed)
	}
	r.refused("publish", e.Publish("name", []byte("x")), engine.ErrClosed)
	r.refused("renew", claim.Renew(r.Context()), engine.ErrClosed)
	r.refused("release", claim.Release(r.Context()), engine.ErrClosed)
}

// A consumer of a subscription would otherwise wait forever.
func closingEndsSubscriptions(r *rig) {
	e := r.open()
	in := r.subscribe(e, "live")
	r.meet(e, "live", in)
	r.must("close", e.Close())
	r.ends(in)
}

// A shutdown waits for every call that is under way, so none may outlast its context.
func cancelledContextIsAnswered(r *rig) {
	e := r.open()
	claim := r.keep(e, "key", "one")
	ctx, cancel := context.WithCancel(r.Context())
	cancel()
	for _, c := range append(calls(ctx, e, "name"),
		call{"renew", func() error { return claim.Renew(ctx) }},
		call{"release", func() error { return claim.Release(ctx) }}) {
		r.refused(c.name, r.within(c.name, c.do), context.Canceled)
	}
	r.reads(e, "name", 0)
	r.held("name", "", e)
	r.held("key", "one", e)
}

// Names become files and subjects in some engines: all engines refuse names that could leave a folder, or be confused
// with others.
func badNamesAreRefused(r *rig) {
	e := r.open()
	for _, name := range []string{"", ".", "..", "../up", "a..b", "a/b", `a\b`, "a b", "a\x00b", "a\nb",
		strings.Repeat("x", engine.MaxName+1)} {
		for _, c := range calls(r.Context(), e, name) {
			r.refused(c.name+" "+name, c.do(), engine.ErrName)
		}
		r.refused("publish "+name, e.Publish(name, []byte("x")), engine.ErrName)
	}
}

// Names of leagues in practice, up to the longest name.
func goodNamesAreTaken(r *rig) {
	e := r.open()
	for _, name := range []string{"league_2025_even_odd", "a.b-c", strings.Repeat("x", engine.MaxName)} {
		for _, c := range calls(r.Context(), e, name) {
			r.must(c.name+" "+name, c.do())
		}
		r.must("publish "+name, e.Publish(name, []byte("x")))
		r.reads(e, name, 0, "x")
	}
}

// call is one way into an engine.
type call struct {
	name string
	do   func() error
}

// calls returns every method of e that takes a context.
func calls(ctx context.Context, e engine.Engine, name string) []call {
	return []call{
		{"append", func() error { _, err := e.Append(ctx, name, 0, []byte("x")); return err }},
		{"read", func() error { _, err := collect(e.Read(ctx, name, 0)); return err }},
		{"acquire", func() error { _, err := e.Acquire(ctx, name, "one", 1<<40); return err }},
		{"holder", func() error { _, err := e.Holder(ctx, name); return err }},
		{"secret", func() error { _, err := e.Secret(ctx, name); return err }},
		{"subscribe", func() error { _, err := e.Subscribe(ctx, name); return err }},
	}
}
