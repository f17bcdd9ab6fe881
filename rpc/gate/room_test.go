package gate

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// A scribe answers in the memory of the request, with the body repeated, and keeps the answer, which is a mistake.
type scribe struct {
	http.Handler // answers nothing
	kept         []byte
}

func (s *scribe) ServePost(_ context.Context, r *Post) ([]byte, bool) {
	if string(r.Body) == "kept?" {
		return s.kept, true
	}
	if string(r.Body) == "panic" {
		_ = append(r.Room(), "half an ans"...)
		panic("of the handler")
	}
	s.kept = r.Room()
	for range 100 {
		s.kept = append(s.kept, r.Body...)
	}
	return s.kept, true
}

func TestAHandlerAnswersInTheGatesMemory(t *testing.T) {
	s := &scribe{Handler: http.NotFoundHandler()}
	addr := open(t, &Gate{Handler: s, HTTP: plainServer(s)})
	c := dial(t, addr)
	long := strings.Repeat("longer than a buffer ", 200)
	for _, body := range []string{"a", "b", long, "c"} {
		c.say(of(body))
		c.want("200 " + strings.Repeat(body, 100))
	}
	c.say(of("kept?"))
	if got := c.answer(); strings.Contains(got, "ccc") {
		t.Errorf("a handler that keeps its answer still reads it: %q", got)
	}
	c.say(of("panic"))
	if _, err := c.in.ReadByte(); err == nil {
		t.Error("a handler that panics is answered for")
	}
	c = dial(t, addr)
	c.say(of("d"))
	c.want("200 " + strings.Repeat("d", 100))
}
