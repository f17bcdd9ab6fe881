package rpctest

import "time"

// Patience is how long anything may take on a busy machine. Nothing that is promised is measured with it.
const Patience = 90 * time.Second

// A T is what is needed of a [testing.TB].
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Eventually waits until something is so, and fails the test if that does not happen. It is for what goes on in other
// processes and on real sockets: in virtual time a test knows when to look.
func Eventually(t T, what string, ok func() bool) {
	t.Helper()
	Within(t, Patience, what, ok)
}

// Within is Eventually for what takes its time on any machine.
func Within(t T, patience time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v in vain for: %s", patience, what)
		}
	}
}
