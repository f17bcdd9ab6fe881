// Package wasm plays games whose rules are an untrusted WebAssembly module, in any source language.
//
//	file ─▶ checked, metered ─▶ compiled once, in a child process ─▶ Game
//	                                                                  │ info, start, apply as JSON
//	                                                                  ▼
//	                                                      a fresh instance for every call
//
// A module is a pure function from a request to an answer. The state of a match is a JSON value that the module returns
// and receives again; an instance serves one call and is discarded. So a module has no memory between calls, and the
// same request has the same answer in every process and at every time: it can import nothing, no clock, no files, no
// chance, and its running time is limited by steps of its code, not by time. A replay of a match, such as
// `league verify` on another machine, has the same result, even for one that the module broke off. (The one
// nondeterminism of WebAssembly is the bits of a NaN; rules have no use for them.)
//
// A module that loops, allocates without end, traps or returns an invalid answer fails. Then the match is over: a draw
// with the failure as its reason. No player loses by it, and nothing else is affected.
//
// A program that links this package compiles a module when its first argument is an internal word, and exits: the
// package starts the program again so that an expensive compilation can be killed.
//
// docs/guide/adding-a-game.md lists the exports and answers of a module; examples/wasm has one.
package wasm
