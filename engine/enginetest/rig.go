package enginetest

import (
	"testing"
	"time"

	"agentleague/engine"
)

// Options describe the engine under test. The zero value suits one that any number of processes share in real time.
type Options struct {
	// Virtual runs every law in a synctest bubble, where waiting takes no time.
	Virtual bool

	// Exclusive means that a store has one handle at a time. Tests with two handles then use the same one twice.
	Exclusive bool

	// TTL is how long claims last; 0 means 500 ms.
	TTL time.Duration

	// Patience is the timeout of a test for an expected event; 0 means a minute.
	Patience time.Duration
}

// Store is an empty place for an engine to keep things, made anew for every law.
type Store struct {
	// Open returns a new handle. The law closes it.
	Open func(t *testing.T) engine.Engine

	// Damage loses or changes an acknowledged entry. No handle is open during the call. Without it the tests of
	// damaged logs are skipped.
	Damage func(t *testing.T, log string, seq uint64)
}

// law is one sentence of the contract and the test that holds an engine to it.
type law struct {
	name string
	hold func(r *rig)
}

// rig is the environment of a law.
type rig struct {
	*testing.T
	Options
	Store
}

// open returns a handle that is closed at the end of the law at the latest.
func (r *rig) open() engine.Engine {
	r.Helper()
	e := r.Open(r.T)
	r.Cleanup(func() { r.must("close", e.Close()) })
	return e
}

// pair returns two handles on the store, which are one if the store allows no more.
func (r *rig) pair() (a, b engine.Engine) {
	r.Helper()
	a = r.open()
	if r.Exclusive {
		return a, a
	}
	return a, r.open()
}

// within returns the result of do, and fails the law after a timeout.
func (r *rig) within(what string, do func() error) error {
	r.Helper()
	answer := make(chan error, 1)
	go func() { answer <- do() }()
	select {
	case err := <-answer:
		return err
	case <-time.After(r.Patience):
		r.Fatalf("%s: no answer after %v", what, r.Patience)
		return nil
	}
}

// until asks again and again whether something holds, and fails the law if it never does.
func (r *rig) until(what string, holds func() bool) {
	r.Helper()
	for end := time.Now().Add(r.Patience); !holds(); time.Sleep(r.TTL / 100) {
		if time.Now().After(end) {
			r.Fatalf("%s: not so after %v", what, r.Patience)
		}
	}
}

// must fails the law on any error.
func (r *rig) must(what string, err error) {
	r.Helper()
	if err != nil {
		r.Fatalf("%s: %v", what, err)
	}
}
