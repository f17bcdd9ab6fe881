package rpctest

import "time"

// Patience is how long what a test looks at may stay the same. A busy machine is slow, and it makes progress.
// Nothing that is promised is measured with it.
const Patience = 5 * time.Minute

// A T is what is needed of a [testing.TB].
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Eventually waits until a condition holds. It is for other processes and real sockets: in virtual time a test knows
// when to look.
func Eventually(t T, what string, ok func() bool) {
	t.Helper()
	Until(t, what, func() (bool, bool) {
		holds := ok()
		return holds, holds
	})
}

// Until waits until look reports that a condition holds. There is no limit in total: it fails when the value that look
// sees has not changed for [Patience], and prints that value.
func Until[V comparable](t T, what string, look func() (seen V, ok bool)) {
	t.Helper()
	last, ok := look()
	for end := time.Now().Add(Patience); !ok; {
		time.Sleep(10 * time.Millisecond)
		var seen V
		if seen, ok = look(); seen != last {
			last, end = seen, time.Now().Add(Patience)
		}
		if !ok && time.Now().After(end) {
			t.Fatalf("waited in vain for %s: what was seen last, %v, has not changed for %v", what, last, Patience)
		}
	}
}
