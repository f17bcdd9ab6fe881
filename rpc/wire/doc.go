// Package wire makes calls over plain HTTP/1.1 on the caller's own goroutine.
//
//	Post ─▶ take ─▶ write, wait, read ─▶ plain ──────────────▶ answer
//	         ▲             │              └▶ as net/http does ─▶
//	         └──── put ◀───┘
//
// The standard library's client starts two goroutines for each connection and
// passes every call between three: half of a call's price, and in a large
// league more goroutines than players. Here a call is one write(2) and, for an
// answer that came in one piece, one read(2).
//
// An answer that is written as our own servers write theirs is read here
// ([readHead] says which those are); every other, from its first byte, by
// [http.ReadResponse]. The two agree on whatever the former takes.
package wire
