package rpctest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"time"

	"agentleague/rpc"
)

// A Network is a simulated network inside one process. It runs in virtual time, and the
// same seed gives the same run. Machines can crash and restart; messages can
// be late, lost or duplicated, and connections can be cut.
//
//	net := rpctest.NewNetwork(seed, synctest.Wait, rpctest.Faults{})
//	go net.Drive(ctx)
//	p := net.Boot("P01", "http://localhost:8101/mcp")
//	node := rpc.NewNode("player:P01", rpc.Options{Network: p})
//	p.Serve(node)
type Network struct {
	*driver
	mu     sync.Mutex
	faults Faults
	hosts  map[string]*Process // the running processes by host and port
	newest map[string]*Process // by name
	lives  map[string]int      // by name: how often it was booted
	cut    map[[2]string]bool
}

// Faults configures how unreliable a network is. The zero value means no faults.
type Faults struct {
	Loss      float64       // share of messages that never arrive
	Duplicate float64       // share of requests that arrive twice
	Delay     time.Duration // the longest delay of a message; default 10 ms
}

// withDefaults sets a default delay of 10 ms per message: a network without any delay would hide races.
func (f Faults) withDefaults() Faults {
	if f.Delay == 0 {
		f.Delay = 10 * time.Millisecond
	}
	return f
}

// NewNetwork returns a network. rest must return once all other goroutines are blocked; in a testing/synctest bubble
// that is synctest.Wait.
func NewNetwork(seed uint64, rest func(), f Faults) *Network {
	return &Network{
		driver: newDriver(seed, rest), faults: f.withDefaults(),
		hosts: map[string]*Process{}, newest: map[string]*Process{}, lives: map[string]int{}, cut: map[[2]string]bool{},
	}
}

// Drive lets the network run until ctx ends.
func (n *Network) Drive(ctx context.Context) { n.drive(ctx) }

// Trace returns the steps so far, in order.
func (n *Network) Trace() []string {
	n.driver.mu.Lock()
	defer n.driver.mu.Unlock()
	return append([]string(nil), n.trace...)
}

// At schedules f as a step that runs after the given time. No other step runs
// before f returns, so f must not wait for one.
func (n *Network) At(after time.Duration, what string, f func()) {
	n.schedule(time.Now().Add(after), n.name(what), f)
}

// SetFaults changes the faults of the network from now on.
func (n *Network) SetFaults(f Faults) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faults = f.withDefaults()
}

// Cut cuts the connection between two machines, given by name, or restores it.
func (n *Network) Cut(a, b string, cut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut[pair(a, b)] = cut
}

func pair(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// Boot starts a process on the machine with a name, reachable at endpoint. It crashes the previous process on that
// machine.
func (n *Network) Boot(name, endpoint string) *Process {
	n.mu.Lock()
	defer n.mu.Unlock()
	if old := n.newest[name]; old != nil {
		old.Crash()
	}
	n.lives[name]++
	ctx, cancel := context.WithCancel(context.Background())
	p := &Process{net: n, Name: name, ctx: ctx, cancel: cancel}
	p.rng = rand.New(rand.NewPCG(n.seed, uint64(n.chance("rng", name, fmt.Sprint(n.lives[name]))*(1<<53))))
	n.hosts[hostOf(endpoint)], n.newest[name] = p, p
	return p
}

// hostOf is the machine that an endpoint names.
func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return endpoint
	}
	return u.Host
}

// errRefused is the error of a call to a machine without a process.
var errRefused = errors.New("connection refused")

// A delivery is a request in transit, and the wait of its caller.
type delivery struct {
	name  string
	from  *Process
	url   string
	serve func(ctx context.Context, n *rpc.Node) []byte
	wait  *wait
}

// send schedules the delivery of a request, and possibly of a duplicate. A lost request is not delivered.
func (n *Network) send(r delivery) {
	f := n.currentFaults()
	if n.chance("lose", r.name) >= f.Loss {
		n.schedule(time.Now().Add(n.delay(f, "there", r.name)), r.name+" arrives", func() { n.deliver(r) })
	}
	if n.chance("repeat", r.name) < f.Duplicate {
		again := r
		again.name, again.wait = r.name+" again", newWait()
		n.schedule(time.Now().Add(n.delay(f, "again", r.name)), r.name+" arrives again", func() { n.deliver(again) })
	}
}

// deliver passes a request to the process at its URL and schedules the answer.
func (n *Network) deliver(r delivery) {
	n.mu.Lock()
	to := n.hosts[hostOf(r.url)]
	cut := to != nil && n.cut[pair(r.from.Name, to.Name)]
	n.mu.Unlock()
	if cut {
		return
	}
	var node *rpc.Node
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
		f := n.currentFaults()
		if n.chance("lose answer", r.name) >= f.Loss {
			n.schedule(time.Now().Add(n.delay(f, "back", r.name)), r.name+" answered", func() { n.hand(r, to, answer) })
		}
	}()
}

// hand returns an answer to the caller. If the connection was cut in the meantime, the answer is lost and the caller
// waits until its deadline.
func (n *Network) hand(r delivery, to *Process, answer []byte) {
	n.mu.Lock()
	cut := n.cut[pair(r.from.Name, to.Name)]
	n.mu.Unlock()
	switch {
	case cut:
	case answer == nil:
		r.wait.answer(http.StatusAccepted, nil, nil)
	default:
		r.wait.answer(http.StatusOK, answer, nil)
	}
}

// currentFaults returns the faults at this moment.
func (n *Network) currentFaults() Faults {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.faults
}

func (n *Network) delay(f Faults, way, name string) time.Duration {
	return time.Duration((0.05 + 0.95*n.chance("delay "+way, name)) * float64(f.Delay))
}
