// Package wire makes calls over plain HTTP/1.1 on the caller's own goroutine.
//
//	Post ─▶ take ─▶ write, wait, read ─▶ plain ──────────────▶ answer
//	         ▲             │              └▶ as net/http does ─▶
//	         └──── put ◀───┘
//
// The standard library's client starts two goroutines for each connection and
// passes every call between three: half of the cost of a call, and in a large
// league more goroutines than players. Here a call is one write(2) and, for an
// answer that arrives in one piece, one read(2).
//
// A plain answer, in the format of our own servers, is parsed here ([readHead] defines
// it); every other, from its first byte, by [http.ReadResponse]. The two agree on
// everything that the former accepts.
package wire
