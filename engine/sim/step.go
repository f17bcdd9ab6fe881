package sim

import (
	"context"
	"errors"
	"fmt"

	"agentleague/engine"
)

// Options make a process wait and fail. The zero value does neither.
type Options struct {
	// Await is called before the effect of every operation and again before its answer, with a key
	// such as "append league_x 7 before"; once, with a key such as "read league_x 1", for Read and
	// Holder. An error becomes the operation's answer. Publish and Subscribe do not wait.
	Await func(ctx context.Context, key string) error

	// Fault is asked once for every operation that waits, with its key less "before" and "after".
	Fault func(key string) Fault
}

// Fault is a way for an operation to go wrong.
type Fault int

// The faults there are.
const (
	None       Fault = iota // nothing goes wrong
	FailBefore              // an error, and nothing is done
	FailAfter               // it is done, but the answer is an error
	Full                    // there is no room: nothing is done
	Away                    // the disk is not there: nothing is done
)

// before is the error of an operation that does nothing.
func (f Fault) before() error {
	switch f {
	case FailBefore:
		return ErrFault
	case Full:
		return &engine.FullError{Place: "the disk in memory", Err: ErrFault}
	case Away:
		return &engine.AwayError{Place: "the disk in memory", What: "was moved or deleted"}
	}
	return nil
}

// ErrFault is the cause of every error that Options.Fault asks for.
var ErrFault = errors.New("injected fault")

// write is one operation that changes the store: wait, effect, wait.
func (e *Engine) write(ctx context.Context, key string, effect func() error) error {
	if err := e.start(ctx, key, key+" before"); err != nil {
		return err
	}
	fault := e.fault(key)
	if err := fault.before(); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	answer := e.locked(effect)
	if err := e.await(ctx, key+" after"); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if fault == FailAfter {
		answer = ErrFault
	}
	if answer != nil {
		return fmt.Errorf("%s: %w", key, answer)
	}
	return nil
}

// look is one operation that reads the store: wait, effect.
func (e *Engine) look(ctx context.Context, key string, effect func() error) (Fault, error) {
	if err := e.start(ctx, key, key); err != nil {
		return None, err
	}
	fault := e.fault(key)
	if err := fault.before(); err != nil {
		return fault, fmt.Errorf("%s: %w", key, err)
	}
	if err := e.locked(effect); err != nil {
		return fault, fmt.Errorf("%s: %w", key, err)
	}
	return fault, nil
}

// start refuses operations that cannot begin, and waits.
func (e *Engine) start(ctx context.Context, key, wait string) error {
	err := ctx.Err()
	if err == nil {
		err = e.locked(func() error { return nil })
	}
	if err == nil {
		err = e.await(ctx, wait)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// locked runs effect alone on the store, unless the process has closed its handle.
func (e *Engine) locked(effect func() error) error {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	if e.closed {
		return engine.ErrClosed
	}
	return effect()
}

// await lets the test decide when a step happens, or whether the process dies before it.
func (e *Engine) await(ctx context.Context, key string) error {
	if e.opts.Await == nil {
		return nil
	}
	return e.opts.Await(ctx, key)
}

// fault is how the test has a step fail.
func (e *Engine) fault(key string) Fault {
	if e.opts.Fault == nil {
		return None
	}
	return e.opts.Fault(key)
}
