//go:build !windows

package connlimit

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
		g := newTracker(100)
		for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			g.Note(&fakeConn{name: name, gone: &gone}, http.StateNew)
		}
		l := &crampedListener{fails: func() bool { return len(gone) < 3 }}
		c, err := g.Listener(l).Accept()
		if err != nil || c == nil || len(gone) != 4 || gone[0] != "a" {
			t.Errorf("got %v, %v, and %q have left; want a connection, for which a quarter has left twice", c, err, gone)
		}
	})
}

func TestADoorwayTellsWhenThereIsNobodyToSendAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &crampedListener{fails: func() bool { return true }}
		if _, err := newTracker(2).Listener(l).Accept(); !errors.Is(err, syscall.EMFILE) || l.tries != 1 {
			t.Errorf("got %v after %d tries, want %v at once", err, l.tries, syscall.EMFILE)
		}
		var gone []string
		g := newTracker(100)
		for range 50 {
			g.Note(&fakeConn{gone: &gone}, http.StateNew)
		}
		if _, err := g.Listener(l).Accept(); !errors.Is(err, syscall.EMFILE) || l.tries != 1+shedTries {
			t.Errorf("got %v after %d tries, want %v after %d", err, l.tries-1, syscall.EMFILE, shedTries)
		}
	})
}

// A numbered connection has the file of that number.
type numbered struct {
	fakeConn
	number uintptr
}

func (c *numbered) SyscallConn() (syscall.RawConn, error) { return fileNumber(c.number), nil }

type fileNumber uintptr

func (n fileNumber) Control(f func(uintptr)) error  { f(uintptr(n)); return nil }
func (n fileNumber) Read(func(uintptr) bool) error  { return errors.ErrUnsupported }
func (n fileNumber) Write(func(uintptr) bool) error { return errors.ErrUnsupported }

func TestAConnectionThatTakesOneOfTheLastFilesSendsOthersAway(t *testing.T) {
	limit := uintptr(FileLimit())
	for number, leave := range map[uintptr]int{3: 0, limit - spareFiles - 1: 0, limit - spareFiles: 2, limit - 1: 2} {
		var gone []string
		g := newTracker(100)
		for range 8 {
			g.Note(&fakeConn{gone: &gone}, http.StateNew)
		}
		_, err := g.withRoom(func() (net.Conn, error) { return &numbered{number: number}, nil })
		if err != nil || len(gone) != leave {
			t.Errorf("file %d of %d: %d connections were closed, %v; want %d", number, limit, len(gone), err, leave)
		}
	}
}
