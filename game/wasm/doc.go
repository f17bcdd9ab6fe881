// Package wasm plays games whose rules are a WebAssembly module: a file that somebody else wrote, in a language of
// their choice, and that this program runs without trusting it.
//
//	file ─▶ checked, metered ─▶ compiled once, in a child process ─▶ Game
//	                                                                  │ info, start, apply as JSON
//	                                                                  ▼
//	                                                      a fresh instance for every call
//
// A module is a pure function from a request to an answer. The state of a match is a JSON value that the module gives
// and is given back; an instance serves one call and is thrown away. So a module has nowhere to remember anything, and
// the same request has the same answer in every process and at every time: it can import nothing, no clock, no files,
// no chance, and how long it may run is counted in steps of its own code, not in time. Who plays a match again, such
// as `league verify` on another machine, sees the same match, even one that the module broke off. (The one thing that
// WebAssembly leaves open is the bits of a NaN; rules have no use for them.)
//
// A module that loops, allocates without end, traps or answers nonsense fails. Then the match is over: a draw, whose
// reason says what was wrong. No player loses by it, and nothing else is disturbed.
//
// A program that links this package compiles a module when its first argument is an internal word, and exits: the
// package starts the program again so that a module that is expensive to compile can be ended.
//
// docs/guide/adding-a-game.md says what a module has to export and answer; examples/wasm has one.
package wasm
