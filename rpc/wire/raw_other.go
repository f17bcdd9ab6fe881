//go:build !unix

package wire

// A rawConn is nothing here.
type rawConn struct{}

// carry sends the request and reads the answer, as far as it is plain. An error means that no more can be read.
func (w *wire) carry() (verdict, error) { return w.carrySimply() }
