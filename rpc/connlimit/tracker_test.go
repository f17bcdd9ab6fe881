package connlimit

import (
	"net"
	"net/http"
	"slices"
	"testing"
)

// A fakeConn is a connection that stores whether it was closed.
type fakeConn struct {
	net.Conn
	name string
	gone *[]string
}

func (v *fakeConn) Close() error {
	*v.gone = append(*v.gone, v.name)
	return nil
}

func TestWhoIsQuietLongestLeavesFirst(t *testing.T) {
	var gone []string
	g := newTracker(3)
	come := func(name string) *fakeConn {
		v := &fakeConn{name: name, gone: &gone}
		g.Note(v, http.StateNew)
		return v
	}
	a, b, _ := come("a"), come("b"), come("c")
	g.serve(a)
	g.Note(b, http.StateActive) // its first byte is no request
	come("d")
	g.Note(a, http.StateIdle)
	come("e")
	e := come("f")
	g.Note(e, http.StateClosed)
	come("g")
	want := []string{"b", "c", "d"}
	if len(gone) != len(want) {
		t.Fatalf("%q have left, want %q", gone, want)
	}
	for i := range want {
		if gone[i] != want[i] {
			t.Errorf("%q have left, want %q", gone, want)
		}
	}
}

func TestNobodyWhoIsServedLeaves(t *testing.T) {
	var gone []string
	g := newTracker(2)
	for _, name := range []string{"a", "b", "c"} {
		v := &fakeConn{name: name, gone: &gone}
		g.Note(v, http.StateNew)
		g.serve(v)
	}
	if len(gone) != 1 || gone[0] != "c" {
		t.Errorf("%q have left, want only the last to come", gone)
	}
}

func TestNobodyIsRememberedWhoHasLeft(t *testing.T) {
	var gone []string
	g := newTracker(2)
	for range 10 {
		v := &fakeConn{gone: &gone}
		g.Note(v, http.StateNew)
		g.Note(v, http.StateActive)
		g.Note(v, http.StateIdle)
		g.Note(v, http.StateClosed)
	}
	if len(g.all) != 0 || g.count != [3]int{} || g.order.next != &g.order || g.order.prev != &g.order {
		t.Errorf("%d connections, %d in each state, want none", len(g.all), g.count)
	}
}

func TestWhoListensLongestLeavesWhenNobodyElseIsQuiet(t *testing.T) {
	var gone []string
	g := newTracker(2)
	come := func(name string) *fakeConn {
		v := &fakeConn{name: name, gone: &gone}
		g.Note(v, http.StateNew)
		return v
	}
	a, b := come("a"), come("b")
	for _, v := range []*fakeConn{b, a} {
		g.serve(v)
		g.listen(v)
	}
	c := come("c")
	g.serve(c)
	come("d")
	if want := []string{"b", "a"}; !slices.Equal(gone, want) {
		t.Errorf("%q have left, want %q", gone, want)
	}
	g.Note(a, http.StateClosed)
	g.Note(b, http.StateClosed)
	g.Note(c, http.StateClosed)
	if len(g.all) != 1 || g.count != [3]int{quiet: 1} {
		t.Errorf("%d connections, %d in each state, want one that is quiet", len(g.all), g.count)
	}
}

func TestAnExchangeIsTrackedWithoutObjects(t *testing.T) {
	g := newTracker(10)
	server, client := net.Conn(&fakeConn{}), net.Conn(&fakeConn{})
	g.Note(server, http.StateNew)
	g.Keep(client)
	if n := testing.AllocsPerRun(100, func() {
		g.NoteGate(server, http.StateActive)
		g.Forget(client)
		g.Keep(client)
		g.NoteGate(server, http.StateIdle)
	}); n != 0 {
		t.Errorf("%v objects, want none", n)
	}
}

func TestSmallLimitsLeaveRoomForFiles(t *testing.T) {
	for files, want := range map[int]int{16: 8, 48: 8, 64: 24, 80: 40, 256: 128, 1 << 20: 1 << 19} {
		if got := mostConns(files); got != want {
			t.Errorf("of %d files %d are for connections, want %d", files, got, want)
		}
	}
}
