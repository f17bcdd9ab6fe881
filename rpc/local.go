package rpc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// A Local is a network inside one process, for tests: it runs in virtual time
// and the same seed gives the same run. Machines can crash and come back;
// messages can be late, lost, repeated or cut off.
//
//	net := rpc.NewLocal(seed, synctest.Wait, rpc.Faults{})
//	go net.Drive(ctx)
//	p := net.Boot("P01", "http://localhost:8101/mcp")
//	node := rpc.NewNode("player:P01", rpc.Options{Network: p})
//	p.Serve(node)
type Local struct {
	*driver
	mu     sync.Mutex
	faults Faults
	hosts  map[string]*Process // by host and port: who runs there
	newest map[string]*Process // by name
	lives  map[string]int      // by name: how often it was booted
	cut    map[[2]string]bool
}

// Faults say how unreliable a local network is. Zero is a good network.
type Faults struct {
	Loss      float64       // share of messages that never arrive
	Duplicate float64       // share of requests that arrive twice
	Delay     time.Duration // the longest delay of a message; default 10 ms
}

func (f Faults) withDefaults() Faults {
	if f.Delay == 0 {
		f.Delay = 10 * time.Millisecond
	}
	return f
}

// NewLocal returns a network. Rest returns when every other goroutine waits:
// synctest.Wait.
func NewLocal(seed uint64, rest func(), f Faults) *Local {
	return &Local{
		driver: newDriver(seed, rest), faults: f.withDefaults(),
		hosts: map[string]*Process{}, newest: map[string]*Process{}, lives: map[string]int{}, cut: map[[2]string]bool{},
	}
}

// Drive lets the network run until ctx ends.
func (l *Local) Drive(ctx context.Context) { l.drive(ctx) }

// Trace returns what has happened, in order.
func (l *Local) Trace() []string {
	l.driver.mu.Lock()
	defer l.driver.mu.Unlock()
	return append([]string(nil), l.trace...)
}

// At makes f happen at a time from now, in its turn. Nothing else happens
// until f returns, so f does not wait for anything.
func (l *Local) At(after time.Duration, what string, f func()) {
	l.schedule(time.Now().Add(after), l.name(what), f)
}

// SetFaults changes how unreliable the network is from now on.
func (l *Local) SetFaults(f Faults) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = f.withDefaults()
}

// Cut ends or mends the connection between two machines, by their names.
func (l *Local) Cut(a, b string, cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut[pair(a, b)] = cut
}

func pair(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// Boot starts a process on the machine called name that is reached at
// endpoint. What ran on that machine before has crashed.
func (l *Local) Boot(name, endpoint string) *Process {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old := l.newest[name]; old != nil {
		old.Crash()
	}
	l.lives[name]++
	ctx, cancel := context.WithCancel(context.Background())
	p := &Process{net: l, Name: name, ctx: ctx, cancel: cancel}
	p.rng = rand.New(rand.NewPCG(l.seed, uint64(l.chance("rng", name, fmt.Sprint(l.lives[name]))*(1<<53))))
	l.hosts[hostOf(endpoint)], l.newest[name] = p, p
	return p
}

func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return endpoint
	}
	return u.Host
}

var errRefused = errors.New("connection refused")

// A parcel is a request on its way, and where its answer goes.
type parcel struct {
	name  string
	from  *Process
	url   string
	serve func(ctx context.Context, n *Node) []byte
	wait  *wait
}

// send schedules the delivery of a request, and of its repetition if chance wants one.
func (l *Local) send(r parcel) {
	f := l.currentFaults()
	if l.chance("lose", r.name) >= f.Loss {
		l.schedule(time.Now().Add(l.delay(f, "there", r.name)), r.name+" arrives", func() { l.deliver(r) })
	}
	if l.chance("repeat", r.name) < f.Duplicate {
		again := r
		again.name, again.wait = r.name+" again", newWait()
		l.schedule(time.Now().Add(l.delay(f, "again", r.name)), r.name+" arrives again", func() { l.deliver(again) })
	}
}

// deliver hands a request to the process at its url and sends the answer back.
func (l *Local) deliver(r parcel) {
	l.mu.Lock()
	to := l.hosts[hostOf(r.url)]
	cut := to != nil && l.cut[pair(r.from.Name, to.Name)]
	l.mu.Unlock()
	if cut {
		return
	}
	var node *Node
	if to != nil {
		node = to.node()
	}
	if node == nil {
		r.wait.end(errRefused)
		return
	}
	go func() {
		answer := r.serve(to.ctx, node)
		to.alive()
		f := l.currentFaults()
		if l.chance("lose answer", r.name) >= f.Loss {
			l.schedule(time.Now().Add(l.delay(f, "back", r.name)), r.name+" answered", func() { l.hand(r, to, answer) })
		}
	}()
}

func (l *Local) hand(r parcel, to *Process, answer []byte) {
	l.mu.Lock()
	cut := l.cut[pair(r.from.Name, to.Name)]
	l.mu.Unlock()
	switch {
	case cut:
	case answer == nil:
		r.wait.answer(http.StatusAccepted, nil, nil)
	default:
		r.wait.answer(http.StatusOK, answer, nil)
	}
}

func (l *Local) currentFaults() Faults {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.faults
}

func (l *Local) delay(f Faults, way, name string) time.Duration {
	return time.Duration((0.05 + 0.95*l.chance("delay "+way, name)) * float64(f.Delay))
}
