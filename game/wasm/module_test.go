package wasm

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"agentleague/game/wasm/wasmtest"
)

// good is a guest that can be played.
var good = wasmtest.Scripted(wasmtest.Info("odd", 3), wasmtest.Turn)

// with is the good guest with something changed.
func with(change func(*wasmtest.Guest)) []byte {
	g := good
	change(&g)
	return g.Bytes()
}

// section returns the valid guest with an additional section.
func section(id byte, payload ...byte) []byte {
	return with(func(g *wasmtest.Guest) { g.Sections = map[byte][]byte{id: payload} })
}

func TestModuleThatIsNoGameIsRefused(t *testing.T) {
	startLoops := map[byte][]byte{3: {3, 0, 1, 2}, 8: {2}, 10: wasmtest.Functions(wasmtest.Function(nil, wasmtest.I32(1024)),
		wasmtest.Function(nil, good.Handle), wasmtest.Function(nil, wasmtest.Endless))}
	setsFirstGlobal := wasmtest.Code(wasmtest.I64(1<<40), []byte{opGlobalSet, 0}, good.Handle)
	for name, tt := range map[string]struct {
		code []byte
		want string
	}{
		"a text":    {[]byte("#!/bin/sh"), "it is not a WebAssembly module of version 1"},
		"nothing":   {nil, "it is not a WebAssembly module of version 1"},
		"too large": {make([]byte, maxModule+1), "it has 4194305 bytes: want at most 4194304"},
		"cut":       {good.Bytes()[:40], "it is damaged: something in it ends too early"},
		"an import": {section(importSection, 1, 3, 'e', 'n', 'v', 3, 'n', 'o', 'w', 0, 0),
			`it imports "now" of "env": a game may import nothing`},
		"a huge table": {section(tableSection, appendUint([]byte{1, 0x70, 0}, 1<<27)...),
			"it has a table of 134217728 elements: want at most 10000"},
		"many variables": {with(func(g *wasmtest.Guest) { g.Locals = append(appendUint([]byte{1}, 1<<30), 0x7f) }),
			"function 1 at byte 74: it has 1073741824 variables: want at most 10000"},
		"many functions":  {wasmtest.Many("odd", 10_000, nil, nil), "it has 10002 functions: want at most 10000"},
		"a huge function": {wasmtest.Many("odd", 1, nil, make([]byte, 128<<10)), "function 2 at byte 111 has 131074 bytes: want at most 131072"},
		"deep nesting": {wasmtest.Many("odd", 1, nil, nested(opBlock, 20_000)),
			"function 2 at byte 111: blocks are nested more than 500 deep at byte 1110"},
		"deep loops": {wasmtest.Many("odd", 1, nil, nested(opLoop, 500)), "function 2 at byte 109: blocks are nested more than 500 deep at byte 1108"},
		"many blocks": {wasmtest.Many("odd", 1, nil, bytes.Repeat([]byte{opBlock, 0x40, opEnd}, 4001)),
			"function 2 at byte 109: it has more than 4000 blocks, the next one at byte 12110"},
		"a huge br_table": {wasmtest.Many("odd", 1, nil, branches(40_000)),
			"function 2 at byte 111: its br_table at byte 116 brings it to 40001 targets: want at most 4000 in a function"},
		"many br_tables": {wasmtest.Many("odd", 1, nil, bytes.Repeat(branches(999), 5)),
			"function 2 at byte 109: its br_table at byte 4146 brings it to 5000 targets: want at most 4000 in a function"},
		"a br_table that says it is larger": {wasmtest.Many("odd", 1, nil, appendUint([]byte{opBrTable}, 1<<32-1)), "function 2 at byte 107: it is damaged"},
		"many results": {section(typeSection, append([]byte{1, 0x60, 0}, append(appendUint(nil, 900), make([]byte, 900)...)...)...),
			"type 0 has 900 results: want at most 100"},
		"many types":  {section(typeSection, appendUint(nil, 1<<20)...), "it has 1048576 types: want at most 10000"},
		"much memory": {with(func(g *wasmtest.Guest) { g.Pages = 257 }), "it is not valid:"},
		"SIMD":        {with(func(g *wasmtest.Guest) { g.Handle = []byte{0xfd, 0} }), "function 1 at byte 74: it has an instruction 0xfd, which is not allowed"},
		"table.grow": {with(func(g *wasmtest.Guest) { g.Handle = []byte{opPrefix, 15, 0} }),
			"function 1 at byte 74: it has an instruction 0xfc0f, which is not allowed"},
		"no memory": {section(exportSection, wasmtest.Exports("alloc", 0, 0, "handle", 0, 1)...), `it does not export its memory as "memory"`},
		"no handle": {section(exportSection, wasmtest.Exports("memory", 2, 0, "alloc", 0, 0)...),
			"it does not export a function handle(i32, i32) -> i64"},
		"wrong alloc": {section(exportSection, wasmtest.Exports("memory", 2, 0, "alloc", 0, 1, "handle", 0, 1)...),
			"it does not export a function alloc(i32) -> i32"},
		"wrong types": {with(func(g *wasmtest.Guest) { g.Handle = wasmtest.I32(0) }), "it is not valid:"},
		// The step counter becomes variable 0 of a module without variables; a module that already refers to variable 0 is
		// invalid.
		"the meter's own variable": {with(func(g *wasmtest.Guest) { g.Handle = setsFirstGlobal }), "it is not valid:"},
		"the meter's own name": {
			section(exportSection, wasmtest.Exports("memory", 2, 0, "alloc", 0, 0, "handle", 0, 1, stepsLeft, 0, 0)...), "it is not valid:",
		},
		"a start that loops": {with(func(g *wasmtest.Guest) { g.Sections = startLoops }), "info: it could not be started"},
		"alloc to nowhere": {with(func(g *wasmtest.Guest) { g.Alloc = wasmtest.I32(-1) }),
			"info: alloc returned a place outside of its memory"},
		"alloc that traps": {with(func(g *wasmtest.Guest) { g.Alloc = wasmtest.Trap }), "info: it broke off with an error of its own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantRefused(t, tt.code, tt.want)
		})
	}
}

// nested is blocks within each other.
func nested(op byte, depth int) []byte {
	return append(bytes.Repeat([]byte{op, 0x40}, depth), bytes.Repeat([]byte{opEnd}, depth)...)
}

// branches is a block with a br_table of n targets and the default.
func branches(n int) []byte {
	head := appendUint([]byte{opBlock, 0x40, 0x41, 0, opBrTable}, uint32(n))
	return append(append(head, make([]byte, n+1)...), opEnd)
}

func TestDescriptionThatIsNoneIsRefused(t *testing.T) {
	for name, tt := range map[string]struct{ from, to, want string }{
		"nothing":       {wasmtest.Info("odd", 3), `{"error":"later"}`, `info: it tells nothing of its game and says "later"`},
		"type":          {`"odd"`, `"Odd One"`, "info: type: want a short name"},
		"name":          {`"Odd One"`, `"Odd\nOne"`, "info: name: want 1 to 64 bytes in a line"},
		"rules":         {`"Play."`, `"Play"`, "info: rules: want one paragraph of sentences"},
		"no moves":      {`["go"]`, `[]`, "info: move_types: want 1 to 100, got 0"},
		"parity":        {`go"`, `choose_parity"`, "info: move_types: want short names"},
		"no choices":    {`["1"]`, `[]`, "info: valid_choices: want 1 to 100 for go, got 0"},
		"other choices": {`{"go"`, `{"come":["1"],"go"`, `info: valid_choices: "come" is not in move_types`},
		"seats":         {`"min_seats":2`, `"min_seats":3`, "info: min_seats and max_seats: want 1 to 16, got 3 and 2"},
		"turns":         {`"max_turns":3`, `"max_turns":0`, "info: max_turns: want 1 to 10000, got 0"},
		"unknown":       {`"max_turns"`, `"most_turns"`, "info: its answer is not as the guide to games says"},
	} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, wasmtest.Scripted(strings.ReplaceAll(wasmtest.Info("odd", 3), tt.from, tt.to), wasmtest.Turn).Bytes(), tt.want)
		})
	}
}

func TestFileOutsideOfTheRootIsRefused(t *testing.T) {
	root := fstest.MapFS{"config/games/odd.wasm": {Data: good.Bytes()}}
	for name, want := range map[string]string{
		"../odd.wasm":           `"../odd.wasm": want the name of a .wasm file below the root`,
		"/etc/odd.wasm":         `"/etc/odd.wasm": want the name of a .wasm file below the root`,
		"config/games/odd.so":   `"config/games/odd.so": want the name of a .wasm file below the root`,
		"config/games/not.wasm": "config/games/not.wasm: file does not exist",
	} {
		if _, err := Load(t.Context(), root, name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", name, err, want)
		}
	}
	g, err := Load(t.Context(), root, "config/games/odd.wasm")
	if err != nil {
		t.Fatal(err)
	}
	again, _ := Load(t.Context(), root, "config/games/odd.wasm")
	if again != g || g.Info().Module != "config/games/odd.wasm" || len(g.Digest()) != 64 {
		t.Errorf("got %p and %p, module %s, digest %s: want one game, its file, and 64 digits", g, again, g.Info().Module, g.Digest())
	}
}

// A module that counts its calls in its own memory still gives the same answer to the same request: nothing survives a
// call.
func TestNothingIsRememberedBetweenCalls(t *testing.T) {
	// The digit of state 1 in the answer is incremented in place before it is sent: repeated calls return 2.
	at := wasmtest.Place(1) + int64(len(`{"state":`))
	raise := wasmtest.Code(wasmtest.I32(at), wasmtest.I32(at), []byte{0x2d, 0, 0}, wasmtest.I32(1), []byte{0x6a, 0x3a, 0, 0}) // load, add, store
	code := wasmtest.Scripted(wasmtest.Info("odd", 3), wasmtest.Turn, raise...)
	m, err := compile(t.Context(), code.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.call([]byte(`{"op":"start"}`))
	if err != nil || !bytes.HasPrefix(want, []byte(`{"state":2`)) {
		t.Fatalf("got %s, %v, want state 2", want, err)
	}
	for range 3 {
		if got, err := m.call([]byte(`{"op":"start"}`)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
}
