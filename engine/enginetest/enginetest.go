// Package enginetest holds an engine to the contract of [engine.Engine].
//
//	Run ─▶ each law ─▶ an empty Store ─▶ Open ─▶ use ─▶ Close ─▶ Open ─▶ the same truth
//
// A law that is broken fails a subtest that is named for it.
package enginetest

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Run tests every law, each on a separate store.
func Run(t *testing.T, o Options, make func(t *testing.T) Store) {
	if o.TTL == 0 {
		o.TTL = 500 * time.Millisecond
	}
	if o.Patience == 0 {
		o.Patience = time.Minute
	}
	for _, l := range slices.Concat(logLaws, markLaws, fenceLaws, secretLaws, leaseLaws, liveLaws, handleLaws, restoreLaws) {
		run := func(t *testing.T) { l.hold(&rig{T: t, Options: o, Store: make(t)}) }
		t.Run(l.name, func(t *testing.T) {
			if o.Virtual {
				synctest.Test(t, run)
				return
			}
			run(t)
		})
	}
}
