package gate

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"
)

func TestPatientClientsAreAnsweredEachTime(t *testing.T) { answersPatiently(t, 10, 100) }

func TestLongPatientClientsAreAnsweredEachTime(t *testing.T) { answersPatiently(t, 20, 500) }

// answersPatiently has clients make so many exchanges each.
func answersPatiently(t *testing.T, clients, each int) {
	d := newDesk()
	addr := open(t, &Gate{Handler: d, HTTP: plainServer(d)})
	var all sync.WaitGroup
	for n := range clients {
		c := dial(t, addr)
		all.Go(func() {
			for i := range each {
				body := fmt.Sprintf("%d of client %d", i, n)
				c.say(ofAgent(OwnAgent, body))
				if got := c.answer(); got != "200 gate "+body {
					t.Errorf("got %q, want an answer to %q", got, body)
					return
				}
			}
		})
	}
	all.Wait()
}

// A client that calls itself patient and is not harms nobody but itself: others are answered, and what it sends at last
// brings it all its answers.
func TestImpatientClientHurtsOnlyItself(t *testing.T) {
	d := newDesk()
	addr := open(t, &Gate{Handler: d, HTTP: plainServer(d)})
	odd, other := dial(t, addr), dial(t, addr)
	odd.say(ofAgent(OwnAgent, "hold"))
	<-d.held
	odd.say(ofAgent(OwnAgent, "too early"))
	close(d.release)
	odd.want("200 gate hold")
	other.say(ofAgent(OwnAgent, "1"))
	other.want("200 gate 1")
	odd.say(ofAgent(OwnAgent, "3"))
	odd.want("200 gate too early")
	odd.want("200 gate 3")
	odd.say(ofAgent(OwnAgent, "4") + ofAgent(OwnAgent, "5"))
	odd.want("200 gate 4")
	odd.want("200 gate 5")
}

func TestPatientClientThatHangsUpIsNoticed(t *testing.T) {
	d := newDesk()
	gone := make(chan struct{})
	c := dial(t, open(t, &Gate{Handler: d, HTTP: plainServer(d), ConnState: func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			close(gone)
		}
	}}))
	c.say(ofAgent(OwnAgent, "hold"))
	<-d.held
	_ = c.Close() // while it is answered
	close(d.release)
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		t.Error("the connection is still there")
	}
}

func TestAnswerLargerThanTheSocketTakesArrives(t *testing.T) {
	d := newDesk()
	c := dial(t, open(t, &Gate{Handler: d, HTTP: plainServer(d)}))
	c.say(ofAgent(OwnAgent, "large"))
	c.want("200 " + large)
	c.say(ofAgent(OwnAgent, "1"))
	c.want("200 gate 1")
}

// A connection that waits costs its goroutine and little more: a league of a thousand players has thousands of them.
func TestConnectionThatWaitsIsSmall(t *testing.T) {
	const clients = 300
	d := newDesk()
	addr := open(t, &Gate{Handler: d, HTTP: plainServer(d)})
	talks := make([]*talk, clients)
	before := heapInUse()
	for i := range talks {
		talks[i] = dial(t, addr)
		talks[i].in.Reset(nil)
		talks[i].in = bufio.NewReaderSize(talks[i].Conn, 16)
		talks[i].say(ofAgent(OwnAgent, "1"))
		talks[i].want("200 gate 1")
		talks[i].in = nil
	}
	each := (heapInUse() - before) / clients
	t.Logf("%d bytes a connection, both ends", each)
	if each > 3<<10 {
		t.Errorf("%d bytes a connection, both ends; at most 3 KiB", each)
	}
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first empties the pools only half
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
