package rpc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
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
	faults Faults
	mu     sync.Mutex
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

// NewLocal returns a network. Rest returns when every other goroutine waits:
// synctest.Wait.
func NewLocal(seed uint64, rest func(), f Faults) *Local {
	if f.Delay == 0 {
		f.Delay = 10 * time.Millisecond
	}
	return &Local{
		driver: newDriver(seed, rest), faults: f,
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

// At makes f happen at a time from now, in its turn.
func (l *Local) At(after time.Duration, what string, f func()) {
	l.schedule(time.Now().Add(after), l.name(what), f)
}

// SetFaults changes how unreliable the network is from now on.
func (l *Local) SetFaults(f Faults) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.Delay == 0 {
		f.Delay = 10 * time.Millisecond
	}
	l.faults = f
}

// Cut ends or mends the connection between two machines, by their names.
func (l *Local) Cut(a, b string, cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut[pair(a, b)] = cut
}

func pair(a, b string) [2]string {
	if a > b {
		a, b = b, a
	}
	return [2]string{a, b}
}

// A Process is one run of a program on a machine, from Boot to Crash.
type Process struct {
	net    *Local
	Name   string
	ctx    context.Context
	cancel context.CancelFunc
	addr   string

	mu    sync.Mutex
	dead  bool
	serve *Node
	rng   *rand.Rand
}

// Boot starts a process on the machine called name that is reached at
// endpoint. What ran there before has crashed.
func (l *Local) Boot(name, endpoint string) *Process {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old := l.newest[name]; old != nil {
		old.Crash()
	}
	l.lives[name]++
	ctx, cancel := context.WithCancel(context.Background())
	p := &Process{net: l, Name: name, ctx: ctx, cancel: cancel, addr: hostOf(endpoint)}
	life := fmt.Sprint(name, l.lives[name])
	p.rng = rand.New(rand.NewPCG(l.seed, uint64(l.chance("rng", life)*(1<<53))))
	l.hosts[p.addr], l.newest[name] = p, p
	return p
}

func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return endpoint
	}
	return u.Host
}

// Context ends when the process does.
func (p *Process) Context() context.Context { return p.ctx }

// Serve lets node answer what is sent to the process.
func (p *Process) Serve(node *Node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serve = node
}

// Crash ends the process where it stands. Each of its goroutines ends at the
// next thing that it waits for, and nothing that it does counts any more.
func (p *Process) Crash() {
	p.mu.Lock()
	p.dead = true
	p.serve = nil
	p.mu.Unlock()
	p.cancel()
}

// alive ends the goroutine of a process that has crashed.
func (p *Process) alive() {
	p.mu.Lock()
	dead := p.dead
	p.mu.Unlock()
	if dead {
		runtime.Goexit()
	}
}

func (p *Process) node() *Node {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.serve
}

// Await waits for the process's turn to do what: the place where a simulated
// disk waits, and where a crash takes effect.
func (p *Process) Await(ctx context.Context, what string) error {
	name := p.net.name(p.Name + " " + what)
	return p.await(ctx, name, time.Duration(p.net.chance("await", name)*float64(time.Millisecond)))
}

// Sleep waits for d.
func (p *Process) Sleep(ctx context.Context, label string, d time.Duration) error {
	return p.await(ctx, p.net.name(p.Name+" sleeps: "+label), d)
}

func (p *Process) await(ctx context.Context, name string, d time.Duration) error {
	p.alive()
	w := &wait{done: make(chan struct{})}
	w.steps = append(w.steps, p.net.schedule(time.Now().Add(d), name, func() { w.end(nil) }))
	return p.finish(ctx, name, w)
}

// A wait is one goroutine waiting for the first of several steps.
type wait struct {
	once   sync.Once
	done   chan struct{}
	steps  []*step
	err    error
	status int
	body   []byte
}

func (w *wait) end(err error) { w.answer(0, nil, err) }

func (w *wait) answer(status int, body []byte, err error) {
	w.once.Do(func() {
		w.status, w.body, w.err = status, body, err
		close(w.done)
	})
}

// finish waits for w until ctx ends. A deadline is a step like any other, so
// that it has its place in the order of the run.
func (p *Process) finish(ctx context.Context, name string, w *wait) error {
	if deadline, ok := ctx.Deadline(); ok {
		w.steps = append(w.steps, p.net.schedule(deadline, name+" deadline", func() { w.end(context.DeadlineExceeded) }))
	}
	stop := context.AfterFunc(ctx, func() {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			w.end(ctx.Err())
		}
	})
	defer stop()
	select {
	case <-w.done:
	case <-p.ctx.Done():
	}
	for _, s := range w.steps {
		p.net.drop(s)
	}
	p.alive()
	w.end(context.Canceled)
	return w.err
}

var errRefused = errors.New("connection refused")

// Post delivers body to whoever is at url then, and brings the answer back.
func (p *Process) Post(ctx context.Context, url, label string, body []byte) (int, []byte, error) {
	p.alive()
	name := p.net.name(p.Name + " > " + hostOf(url) + " " + label)
	w := &wait{done: make(chan struct{})}
	p.net.send(p, url, name, w, func(ctx context.Context, n *Node, addr string) []byte {
		return n.Answer(ctx, From{Addr: addr}, body)
	})
	err := p.finish(ctx, name, w)
	return w.status, w.body, err
}

// Probe asks whether anyone is at url.
func (p *Process) Probe(ctx context.Context, url string) error {
	p.alive()
	name := p.net.name(p.Name + " > " + hostOf(url) + " probe")
	w := &wait{done: make(chan struct{})}
	p.net.send(p, url, name, w, func(context.Context, *Node, string) []byte { return []byte("{}") })
	return p.finish(ctx, name, w)
}

// Addresses returns the name of the machine that is at endpoint.
func (p *Process) Addresses(_ context.Context, endpoint string) []string {
	p.net.mu.Lock()
	defer p.net.mu.Unlock()
	if at := p.net.hosts[hostOf(endpoint)]; at != nil {
		return []string{at.Name}
	}
	return nil
}

// Random fills b from the process's own generator.
func (p *Process) Random(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range b {
		b[i] = byte(p.rng.Uint32())
	}
}

// send schedules the delivery of a request, and of its repetition if chance wants one.
func (l *Local) send(from *Process, url, name string, w *wait, serve func(context.Context, *Node, string) []byte) {
	l.mu.Lock()
	f := l.faults
	l.mu.Unlock()
	if l.chance("lose", name) >= f.Loss {
		l.schedule(time.Now().Add(l.delay(f, "there", name)), name+" arrives", func() { l.deliver(from, url, name, w, serve) })
	}
	if l.chance("repeat", name) < f.Duplicate {
		lost := &wait{done: make(chan struct{})}
		l.schedule(time.Now().Add(l.delay(f, "again", name)), name+" arrives again", func() { l.deliver(from, url, name+" again", lost, serve) })
	}
}

// deliver hands a request to the process at url and sends its answer back.
func (l *Local) deliver(from *Process, url, name string, w *wait, serve func(context.Context, *Node, string) []byte) {
	l.mu.Lock()
	to, f := l.hosts[hostOf(url)], l.faults
	cut := to != nil && l.cut[pair(from.Name, to.Name)]
	l.mu.Unlock()
	if cut {
		return
	}
	var node *Node
	if to != nil {
		node = to.node()
	}
	if node == nil {
		w.end(errRefused)
		return
	}
	go func() {
		answer := serve(to.ctx, node, from.Name)
		to.alive()
		if l.chance("lose answer", name) < f.Loss {
			return
		}
		l.schedule(time.Now().Add(l.delay(f, "back", name)), name+" answered", func() { l.hand(from, to, w, answer) })
	}()
}

func (l *Local) hand(from, to *Process, w *wait, answer []byte) {
	l.mu.Lock()
	cut := l.cut[pair(from.Name, to.Name)]
	l.mu.Unlock()
	if cut {
		return
	}
	status := http.StatusOK
	if answer == nil {
		status = http.StatusAccepted
	}
	w.answer(status, answer, nil)
}

func (l *Local) delay(f Faults, way, name string) time.Duration {
	return time.Duration((0.05 + 0.95*l.chance("delay "+way, name)) * float64(f.Delay))
}
