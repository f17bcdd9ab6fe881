package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// What a module may use. These are part of the rules, like the module itself: with other limits a match that a module
// broke off would not be the same one again. So no setting changes them.
const (
	MaxModule = 4 << 20    // bytes of the file
	MaxMemory = 16 << 20   // bytes that an instance has
	MaxSteps  = 10_000_000 // instructions of one call, with loops and calls counted generously; well below 100 ms
	MaxAnswer = 256 << 10  // bytes of an answer
)

// atOnce is how many calls run at the same time in this process: each may need MaxMemory.
const atOnce = 8

// A module is compiled code. It keeps nothing between calls and may be called by many at once.
type module struct {
	compiled wazero.CompiledModule
}

// runtime has compiled all modules of this process.
var runtime = sync.OnceValue(func() wazero.Runtime {
	return wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2&^api.CoreFeatureSIMD).WithMemoryLimitPages(MaxMemory>>16))
})

// compile returns the module of a file, or says what a game may not have or lacks.
func compile(code []byte) (*module, error) {
	if len(code) > MaxModule {
		return nil, fmt.Errorf("it has %d bytes: want at most %d", len(code), MaxModule)
	}
	counted, err := metered(code, MaxSteps)
	if err != nil {
		return nil, err
	}
	plain, err := runtime().CompileModule(context.Background(), code) // see metered: it has to be valid by itself
	if err != nil {
		return nil, fmt.Errorf("it is not valid: %w", err)
	}
	defer func() { _ = plain.Close(context.Background()) }()
	if err := checkExports(plain); err != nil {
		return nil, err
	}
	compiled, err := runtime().CompileModule(context.Background(), counted)
	if err != nil {
		return nil, fmt.Errorf("it is not valid: %w", err)
	}
	return &module{compiled: compiled}, nil
}

// checkExports wants the memory and the two functions by which a module is called.
func checkExports(m wazero.CompiledModule) error {
	if m.ExportedMemories()["memory"] == nil {
		return errors.New(`it does not export its memory as "memory"`)
	}
	for _, want := range []struct {
		name, shown    string
		params, answer []api.ValueType
	}{
		{"alloc", "alloc(i32) -> i32", []api.ValueType{api.ValueTypeI32}, []api.ValueType{api.ValueTypeI32}},
		{"handle", "handle(i32, i32) -> i64", []api.ValueType{api.ValueTypeI32, api.ValueTypeI32}, []api.ValueType{api.ValueTypeI64}},
	} {
		f := m.ExportedFunctions()[want.name]
		if f == nil || !slices.Equal(f.ParamTypes(), want.params) || !slices.Equal(f.ResultTypes(), want.answer) {
			return fmt.Errorf("it does not export a function %s", want.shown)
		}
	}
	return nil
}

// digest is the SHA-256 of a file, in hex.
func digest(code []byte) string {
	sum := sha256.Sum256(code)
	return hex.EncodeToString(sum[:])
}
