// Package lifetime has contexts that are cancelled explicitly and need little memory.
//
//	referee ─▶ match ─▶ question ─▶ callback        each a Context, part of the struct of that lifetime
//	                                  │
//	                                  └▶ the connection that waits for the answer
//
// A match has a context, and further ones for each question to a player and for
// each expected callback, and every call must be notified of the end of its
// context. With the standard library this takes some sixty allocations per match: contexts,
// cancel functions, maps of children, and unused channels. A [Context] is a field
// of an existing struct, has its children in an intrusive list, and creates a
// channel only on demand.
package lifetime
