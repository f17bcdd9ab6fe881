package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// A moduleError is an error of a module: it trapped, exceeded a limit, or returned an invalid answer. What is
// deterministic, because it becomes the reason of a result; Cause is for the author of the module.
type moduleError struct {
	What  string
	Cause error // the runtime's error; nil: none
}

// Error returns the failure and its cause.
func (f *moduleError) Error() string {
	if f.Cause == nil {
		return f.What
	}
	return f.What + ": " + f.Cause.Error()
}

// Unwrap returns the cause.
func (f *moduleError) Unwrap() error { return f.Cause }

// failed makes a failure without a cause.
func failed(format string, args ...any) *moduleError {
	return &moduleError{What: fmt.Sprintf(format, args...)}
}

// running limits the number of concurrent calls of all modules.
var running = make(chan struct{}, atOnce)

// call sends a request to a fresh instance and returns its answer. An error is a [*Failure].
func (m *module) call(request []byte) ([]byte, error) {
	running <- struct{}{}
	defer func() { <-running }()
	ctx := context.Background()
	inst, err := m.runtime.InstantiateModule(ctx, m.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, &moduleError{What: "it could not be started", Cause: err}
	}
	defer func() { _ = inst.Close(ctx) }()
	at, err := inst.ExportedFunction("alloc").Call(ctx, uint64(len(request)))
	if err != nil {
		return nil, brokenOff(inst, err)
	}
	if !inst.Memory().Write(uint32(at[0]), request) {
		return nil, failed("alloc returned a place outside of its memory")
	}
	answer, err := inst.ExportedFunction("handle").Call(ctx, at[0], uint64(len(request)))
	if err != nil {
		return nil, brokenOff(inst, err)
	}
	return answerOf(inst, uint32(answer[0]>>32), uint32(answer[0]))
}

// answerOf copies the answer from a module's memory.
func answerOf(inst api.Module, at, size uint32) ([]byte, error) {
	if size > maxAnswer {
		return nil, failed("its answer has more than %d bytes", maxAnswer)
	}
	text, ok := inst.Memory().Read(at, size)
	if !ok {
		return nil, failed("its answer is outside of its memory")
	}
	return bytes.Clone(text), nil
}

// brokenOff returns the failure of a call that trapped. The maximum call depth differs between machines, but the
// maximum number of steps does not. Both are reported as the same failure, so that it is deterministic.
func brokenOff(inst api.Module, err error) *moduleError {
	if left := inst.ExportedGlobal(stepsLeft); int64(left.Get()) < 0 || strings.Contains(err.Error(), "stack overflow") {
		return &moduleError{What: fmt.Sprintf("it ran for more than %d steps or went too deep", maxSteps), Cause: firstLine(err)}
	}
	return &moduleError{What: "it broke off with an error of its own", Cause: firstLine(err)}
}

// firstLine returns the first line of a runtime's error, without the stack trace.
func firstLine(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}
