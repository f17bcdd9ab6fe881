package wasm

import (
	"testing"

	"agentleague/game/wasm/wasmtest"
)

// Any file is refused or becomes a module: decoding it terminates without a panic, and a valid module is valid with its
// meter.
func FuzzModule(f *testing.F) {
	f.Add(good.Bytes())
	f.Add(wasmtest.Broken("odd", wasmtest.Endless))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, code []byte) {
		counted, err := metered(code, maxSteps)
		if err != nil {
			return
		}
		if validate(t.Context(), code) != nil {
			return
		}
		module, err := load(t.Context(), t.TempDir(), counted)
		if err != nil {
			t.Fatalf("metered: %v", err)
		}
		module.close()
	})
}
