package mailbox

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"agentleague/protocol"
)

// An Office holds all mailboxes of one manager process. It is safe for concurrent use.
type Office struct {
	limits     Limits
	registered func(id string) bool

	mu    sync.Mutex
	boxes map[string]*entry
	conns map[string]int           // open connections and waiting requests by address, of unregistered mailboxes
	fresh map[string]*rate.Limiter // new mailboxes by address
	swept time.Time
}

// An entry is a mailbox of an office.
type entry struct {
	*box
	id    string
	peer  string // the address that opened it; "": the manager, for a registered agent
	inlet *rate.Limiter

	newest atomic.Pointer[State] // connection; nil: there was none
	rtt    atomic.Int64          // of the newest ping, in nanoseconds; 0: unknown
}

// The ways to read a mailbox.
const (
	byPull      = "pull"
	byWebSocket = "websocket"
)

// NewOffice returns an office. Registered reports whether an agent of a league has a mailbox; nil: none.
func NewOffice(l Limits, registered func(id string) bool) *Office {
	if registered == nil {
		registered = func(string) bool { return false }
	}
	return &Office{limits: l.withDefaults(), registered: registered, boxes: map[string]*entry{}, conns: map[string]int{},
		fresh: map[string]*rate.Limiter{}}
}

// Post sends a message to the agent at an endpoint "mailbox:ID" and returns its answer. It waits for the agent until
// ctx ends, even if its mailbox is not open: after a restart of the manager the agents come back one by one.
func (o *Office) Post(ctx context.Context, endpoint string, body []byte) (status int, answer []byte, err error) {
	id, ok := protocol.MailboxID(endpoint)
	if !ok {
		return 0, nil, fmt.Errorf("%q is no mailbox: want %s and 32 hexadecimal digits", endpoint, protocol.MailboxScheme)
	}
	a, err := o.expected(id).Post(ctx, body)
	switch {
	case err != nil:
		return 0, nil, err
	case a.Error != "":
		return 0, nil, fmt.Errorf("its mailbox answers: %s", protocol.Clip(protocol.Plain(a.Error), 300))
	case a.Status == 0:
		a.Status = http.StatusOK
	}
	return a.Status, a.Body, nil
}

// Probe returns nil if the agent at an endpoint "mailbox:ID" is connected or has asked for letters within a minute.
func (o *Office) Probe(endpoint string) error {
	id, _ := protocol.MailboxID(endpoint)
	if e := o.find(id); e == nil || !e.Online() {
		return errAway
	}
	return nil
}

var errAway = fmt.Errorf("its mailbox is not read: no connection is open and no request waits")

// A State is the state of a mailbox, for people.
type State struct {
	Way   string        // [byPull], [byWebSocket], or "" before its first reader
	Since time.Time     // of the newest connection
	RTT   time.Duration // the round-trip time of the newest ping; 0: unknown
	On    bool          // it is being read
	Peer  string        // the address of the newest connection
}

// String describes the state for people: "mailbox by pull since 17:40".
func (s State) String() string {
	if s.Way == "" {
		return "mailbox, not read yet"
	}
	text := "mailbox by " + s.Way + " since " + s.Since.Format("15:04")
	if !s.On {
		return text + ", not read now"
	}
	if s.RTT > 0 {
		text += ", round trip " + s.RTT.Round(time.Millisecond/10).String()
	}
	return text
}

// State returns the state of the mailbox at an endpoint.
func (o *Office) State(endpoint string) (s State) {
	id, _ := protocol.MailboxID(endpoint)
	e := o.find(id)
	if e == nil {
		return s
	}
	if newest := e.newest.Load(); newest != nil {
		s = *newest
	}
	s.RTT, s.On = time.Duration(e.rtt.Load()), e.Online()
	return s
}

// connected records the way and the address of a new reader.
func (e *entry) connected(way, peer string) {
	now := &State{Way: way, Since: time.Now(), Peer: peer}
	if old := e.newest.Load(); way == byPull && old != nil && old.Way == way && e.Online() {
		now.Since = old.Since // the requests of pull form one connection
	}
	e.newest.Store(now)
}

func (o *Office) find(id string) *entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.boxes[id]
}

// expected returns the mailbox of a registered agent, which the agent may not have opened yet.
func (o *Office) expected(id string) *entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	e := o.boxes[id]
	if e == nil {
		e = o.put(id, "")
	}
	return e
}

// put adds a mailbox. The caller holds the lock.
func (o *Office) put(id, peer string) *entry {
	e := &entry{box: newBox(o.limits), id: id, peer: peer, inlet: rate.NewLimiter(rate.Limit(o.limits.Rate), 4*o.limits.Rate)}
	e.seen = time.Now()
	o.boxes[id] = e
	return e
}

// open returns the mailbox of a key that a client at an address has shown. It opens the mailbox if the limits of the
// address permit it.
func (o *Office) open(id, peer string) (*entry, error) {
	if e := o.find(id); e != nil {
		return e, nil
	}
	o.sweep()
	known := o.registered(id)
	unused := 0
	for _, e := range o.all() {
		if !known && e.peer == peer && !o.registered(e.id) {
			unused++
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if e := o.boxes[id]; e != nil {
		return e, nil
	}
	if !known {
		if err := o.mayOpen(peer, unused); err != nil {
			return nil, err
		}
	}
	return o.put(id, peer), nil
}

// all returns the mailboxes. The function registered must not be called under the lock: a league may ask for the state
// of a mailbox while it is locked.
func (o *Office) all() (out []*entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.boxes {
		out = append(out, e)
	}
	return out
}

// mayOpen returns an error if a client at an address, which has opened unused mailboxes, may not open another one. The
// caller holds the lock.
func (o *Office) mayOpen(peer string, unused int) error {
	if unused >= o.limits.Unused {
		return refuse(http.StatusTooManyRequests, "%d mailboxes of your address have no registered agent (mailboxes.unused_per_address); "+
			"register with them, or wait until they end", unused)
	}
	l := o.fresh[peer]
	if l == nil {
		l = rate.NewLimiter(rate.Limit(float64(o.limits.New)/60), o.limits.New)
		o.fresh[peer] = l
	}
	if !l.Allow() {
		return refuse(http.StatusTooManyRequests, "your address has opened %d mailboxes within a minute (mailboxes.new_per_minute_per_address); wait a minute",
			o.limits.New)
	}
	return nil
}

// enter counts a connection of an address, unless it is of a registered agent. Leave must be called at its end.
func (o *Office) enter(id, peer string) (leave func(), err error) {
	if o.registered(id) {
		return func() {}, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.conns[peer] >= o.limits.Connections {
		return nil, refuse(http.StatusTooManyRequests, "%d connections of your address wait for letters (mailboxes.connections_per_address); "+
			"close one first", o.limits.Connections)
	}
	o.conns[peer]++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.conns[peer]--; o.conns[peer] == 0 {
			delete(o.conns, peer)
		}
	}, nil
}

// sweepEvery is the minimum interval of sweeps.
const sweepEvery = 10 * time.Second

// sweep ends mailboxes without a registered agent that were not read for a while.
func (o *Office) sweep() {
	now := time.Now()
	o.mu.Lock()
	recent := now.Sub(o.swept) < sweepEvery
	if !recent {
		o.swept = now
	}
	o.mu.Unlock()
	if recent {
		return
	}
	over := map[string]bool{}
	for _, e := range o.all() {
		since, idle := e.idleSince()
		over[e.id] = idle && now.Sub(since) > o.limits.UnusedFor && !o.registered(e.id)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, yes := range over {
		if yes {
			delete(o.boxes, id)
		}
	}
	for peer, l := range o.fresh {
		if l.Tokens() >= float64(o.limits.New) {
			delete(o.fresh, peer)
		}
	}
}
