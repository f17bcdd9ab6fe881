package rpctest

import "time"

// Patience is how long Until waits for a change of the observed value before it fails. It is long, since a busy machine
// is slow but makes progress; it is no performance limit.
const Patience = 5 * time.Minute

// A T is the needed part of a [testing.TB].
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Eventually waits until ok returns true, as Until does. It is for tests with other processes and real sockets; with
// virtual time a test can compute the moment.
func Eventually(t T, what string, ok func() bool) {
	t.Helper()
	Until(t, what, func() (bool, bool) {
		holds := ok()
		return holds, holds
	})
}

// Until calls look every 10 ms until it returns ok. There is no total timeout: the test fails when the observed value
// seen has not changed for [Patience], and the failure message contains that value.
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
