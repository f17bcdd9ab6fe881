package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Limits of a module. They are part of the rules and not configurable: with other limits, a match that a module failed
// would have another result.
const (
	maxModule = 4 << 20    // bytes of the file
	maxMemory = 16 << 20   // bytes that an instance has
	maxSteps  = 10_000_000 // instructions of one call, with loops and calls counted generously; well below 100 ms
	maxAnswer = 256 << 10  // bytes of an answer
)

// atOnce is the maximum number of concurrent calls in this process: each may need maxMemory.
const atOnce = 8

// A module is compiled code. It is stateless between calls and safe for concurrent use.
type module struct {
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule
}

// settings are the runtime's settings, with the limits of a module.
func settings(c wazero.RuntimeConfig) wazero.RuntimeConfig {
	return c.WithCoreFeatures(api.CoreFeaturesV2 &^ api.CoreFeatureSIMD).WithMemoryLimitPages(maxMemory >> 16)
}

// compile returns a compiled module, or an error if the code is invalid. A child process with limits compiles the code
// into a cache, from which this process loads the result. The end of ctx cancels it.
func compile(ctx context.Context, code []byte) (*module, error) {
	if len(code) > maxModule {
		return nil, fmt.Errorf("it has %d bytes: want at most %d", len(code), maxModule)
	}
	counted, err := metered(code, maxSteps)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "league-game-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := compileAside(ctx, dir, code); err != nil {
		return nil, err
	}
	return load(ctx, dir, counted)
}

// validate returns an error unless the original module, before metering, is valid and has the exports of a game. It
// uses the interpreter, which validates like the compiler in a fraction of the time.
func validate(ctx context.Context, code []byte) error {
	r := wazero.NewRuntimeWithConfig(ctx, settings(wazero.NewRuntimeConfigInterpreter()))
	defer func() { _ = r.Close(ctx) }()
	plain, err := r.CompileModule(ctx, code)
	if err != nil {
		return fmt.Errorf("it is not valid: %w", err)
	}
	return checkExports(plain)
}

// load compiles a metered module, or loads it from the compilation cache in dir if that has it.
func load(ctx context.Context, dir string, counted []byte) (*module, error) {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, err
	}
	m := &module{cache: cache, runtime: wazero.NewRuntimeWithConfig(ctx, settings(wazero.NewRuntimeConfig()).WithCompilationCache(cache))}
	if m.compiled, err = m.runtime.CompileModule(ctx, counted); err != nil {
		m.close()
		return nil, fmt.Errorf("it is not valid: %w", err)
	}
	return m, nil
}

// close frees the compiled code.
func (m *module) close() {
	_ = m.runtime.Close(context.Background())
	_ = m.cache.Close(context.Background())
}

// checkExports returns an error unless the module exports its memory and the functions alloc and handle.
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
