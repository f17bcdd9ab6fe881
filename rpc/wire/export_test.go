package wire

// A buffer that was given back reads as nonsense from then on: whoever still looks at it fails a test.
func init() {
	released = func(b []byte) {
		for i := range b {
			b[i] = 0xdb
		}
	}
}
