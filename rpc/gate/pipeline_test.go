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

// Clients that pipeline are answered in order, whatever their headers, and whether or not a request arrives during the
// answer of the previous one.
func TestPipelinedRequestsAreAnswered(t *testing.T) { pipelines(t, 10, 50) }

func TestLongPipelinedRequestsAreAnswered(t *testing.T) { pipelines(t, 20, 500) }

// pipelines has clients send pairs of requests, in one write and in two.
func pipelines(t *testing.T, clients, each int) {
	d := newDesk()
	addr := open(t, &Gate{Handler: d, HTTP: plainServer(d)})
	var all sync.WaitGroup
	for n := range clients {
		agent := []string{OwnAgent, "test"}[n%2]
		c := dial(t, addr)
		all.Go(func() {
			for i := range each {
				first, second := fmt.Sprintf("%d of client %d", i, n), fmt.Sprintf("behind %d of client %d", i, n)
				if i%2 == 0 {
					c.say(ofAgent(agent, first) + ofAgent(agent, second))
				} else {
					c.say(ofAgent(agent, first))
					c.say(ofAgent(agent, second))
				}
				for _, body := range []string{first, second} {
					if got := c.answer(); got != "200 gate "+body {
						t.Errorf("%s: got %q, want an answer to %q", agent, got, body)
						return
					}
				}
			}
		})
	}
	all.Wait()
}

func TestRequestThatIsPipelinedBehindOneInWorkIsAnswered(t *testing.T) {
	for _, agent := range []string{OwnAgent, "test"} {
		d := newDesk()
		c := dial(t, open(t, &Gate{Handler: d, HTTP: plainServer(d)}))
		c.say(ofAgent(agent, "hold"))
		<-d.held
		c.say(ofAgent(agent, "behind"))
		close(d.release)
		c.want("200 gate hold")
		c.want("200 gate behind")
	}
}

func TestClientThatHangsUpDuringItsRequestIsNoticed(t *testing.T) {
	d := newDesk()
	gone := make(chan struct{})
	c := dial(t, open(t, &Gate{Handler: d, HTTP: plainServer(d), ConnState: func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			close(gone)
		}
	}}))
	c.say(of("hold"))
	<-d.held
	_ = c.Close()
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
	c.say(of("large"))
	c.want("200 " + large)
	c.say(of("1"))
	c.want("200 gate 1")
}

// A connection that waits takes its goroutine and one small buffer: a league of a thousand players has thousands of
// connections.
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
		talks[i].say(of("1"))
		talks[i].want("200 gate 1")
		talks[i].in = nil
	}
	each := (heapInUse() - before) / clients
	t.Logf("%d bytes a connection, both ends", each)
	if each > 5<<10 {
		t.Errorf("%d bytes a connection, both ends; at most 5 KiB", each)
	}
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first empties the pools only half
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
