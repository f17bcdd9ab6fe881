//go:build !windows

package rpc

import (
	"errors"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
)

// A crampedListener can open nothing while there are too many connections.
type crampedListener struct {
	net.Listener
	fails func() bool
	tries int
}

func (l *crampedListener) Accept() (net.Conn, error) {
	l.tries++
	if l.fails() {
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return &fakeConn{name: "newcomer"}, nil
}

func TestADoorwayMakesRoomWhenNothingCanBeOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var gone []string
		g := newConnTracker(100)
		for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			g.note(&fakeConn{name: name, gone: &gone}, http.StateNew)
		}
		l := &crampedListener{fails: func() bool { return len(gone) < 3 }}
		c, err := doorway{l, g}.Accept()
		if err != nil || c == nil || len(gone) != 4 || gone[0] != "a" {
			t.Errorf("got %v, %v, and %q have left; want a connection, for which a quarter has left twice", c, err, gone)
		}
	})
}

func TestADoorwayTellsWhenThereIsNobodyToSendAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &crampedListener{fails: func() bool { return true }}
		if _, err := (doorway{l, newConnTracker(2)}).Accept(); !errors.Is(err, syscall.EMFILE) || l.tries != 1 {
			t.Errorf("got %v after %d tries, want %v at once", err, l.tries, syscall.EMFILE)
		}
		var gone []string
		g := newConnTracker(100)
		for range 50 {
			g.note(&fakeConn{gone: &gone}, http.StateNew)
		}
		if _, err := (doorway{l, g}).Accept(); !errors.Is(err, syscall.EMFILE) || l.tries != 1+shedTries {
			t.Errorf("got %v after %d tries, want %v after %d", err, l.tries-1, syscall.EMFILE, shedTries)
		}
	})
}
