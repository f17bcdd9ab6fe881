package rpctest

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"agentleague/rpc"
)

// A Process is one run of a program on a machine of a [Network], from Boot to Crash. It implements [rpc.Network] for
// its node.
type Process struct {
	Name   string
	net    *Network
	ctx    context.Context
	cancel context.CancelFunc

	mu    sync.Mutex
	dead  bool
	serve *rpc.Node
	rng   *rand.Rand
}

// Context ends when the process does.
func (p *Process) Context() context.Context { return p.ctx }

// Serve makes node answer the requests to the process.
func (p *Process) Serve(node *rpc.Node) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serve = node
}

// Crash ends the process at once. Each of its goroutines exits at its
// next wait on the network, disk or clock, and nothing it does before has any effect.
func (p *Process) Crash() {
	p.mu.Lock()
	p.dead = true
	p.serve = nil
	p.mu.Unlock()
	p.cancel()
}

// alive exits the calling goroutine if the process has crashed.
func (p *Process) alive() {
	p.mu.Lock()
	dead := p.dead
	p.mu.Unlock()
	if dead {
		runtime.Goexit()
	}
}

// node returns the node that serves the process, or nil after a crash.
func (p *Process) node() *rpc.Node {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.serve
}

// Await waits for a random virtual delay of up to 1 ms, as a step of the driver with the name what. A simulated disk
// calls it for each operation, so that a crash can happen there.
func (p *Process) Await(ctx context.Context, what string) error {
	p.alive() // before it gets a name: steps of crashed processes are not part of the run
	name := p.net.name(p.Name + " " + what)
	return p.await(ctx, name, time.Duration(p.net.chance("await", name)*float64(time.Millisecond)))
}

// Sleep waits for d.
func (p *Process) Sleep(ctx context.Context, label string, d time.Duration) error {
	p.alive()
	return p.await(ctx, p.net.name(p.Name+" sleeps: "+label), d)
}

// await waits for d of virtual time as a step of the driver. The name decides the order among steps of the same time.
func (p *Process) await(ctx context.Context, name string, d time.Duration) error {
	w := newWait()
	s := p.net.schedule(time.Now().Add(d), name, func() { w.end(nil) })
	defer p.net.drop(s)
	return p.finish(ctx, name, w)
}

// Post delivers body to the process that is at url on arrival, and returns its answer.
func (p *Process) Post(ctx context.Context, url, label string, body []byte) (int, []byte, error) {
	w, err := p.exchange(ctx, url, label, func(ctx context.Context, n *rpc.Node) []byte {
		return n.Answer(ctx, rpc.From{Addr: p.Name}, body)
	})
	return w.status, w.body, err
}

// Probe reports whether a process is at url.
func (p *Process) Probe(ctx context.Context, url string) error {
	_, err := p.exchange(ctx, url, "probe", func(context.Context, *rpc.Node) []byte { return []byte("{}") })
	return err
}

// exchange sends a message and waits for the answer or the end of ctx. If the process has crashed in the meantime,
// exchange does not return.
func (p *Process) exchange(ctx context.Context, url, label string,
	serve func(context.Context, *rpc.Node) []byte) (*wait, error) {
	p.alive()
	w := newWait()
	name := p.net.name(p.Name + " > " + hostOf(url) + " " + label)
	p.net.send(delivery{name: name, from: p, url: url, serve: serve, wait: w})
	return w, p.finish(ctx, name, w)
}

// Addresses returns the name of the machine at endpoint.
func (p *Process) Addresses(_ context.Context, endpoint string) []string {
	p.net.mu.Lock()
	defer p.net.mu.Unlock()
	if at := p.net.hosts[hostOf(endpoint)]; at != nil {
		return []string{at.Name}
	}
	return nil
}

// Random fills b from the process's own seeded generator.
func (p *Process) Random(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range b {
		b[i] = byte(p.rng.Uint32())
	}
}

// A wait is a goroutine that waits for an answer or an error, whichever is first.
type wait struct {
	once   sync.Once
	done   chan struct{}
	err    error
	status int
	body   []byte
}

func newWait() *wait { return &wait{done: make(chan struct{})} }

func (w *wait) end(err error) { w.answer(0, nil, err) }

// answer ends the wait with an answer. Further calls do nothing, since a message may be delivered twice.
func (w *wait) answer(status int, body []byte, err error) {
	w.once.Do(func() {
		w.status, w.body, w.err = status, body, err
		close(w.done)
	})
}

// finish blocks until w has ended or ctx ends. The deadline of ctx is a step of the
// driver, so that its order in the run is determined by the seed.
func (p *Process) finish(ctx context.Context, name string, w *wait) error {
	if deadline, ok := ctx.Deadline(); ok {
		s := p.net.schedule(deadline, name+" deadline", func() { w.end(context.DeadlineExceeded) })
		defer p.net.drop(s)
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
	p.alive()
	return w.err
}
