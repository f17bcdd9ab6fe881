package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"agentleague/engine"
)

// logName is the name of the log and of the subject that all members share. Logs of package shelf begin with
// shelfPrefix.
const (
	logName     = "cluster"
	shelfPrefix = "records."
)

// A lease expires after leaseTTL, and members check the leases of the others every checkInterval. Together the leagues
// of a dead member have a new owner in less than 5 s.
const (
	leaseTTL      = 2 * time.Second
	checkInterval = 500 * time.Millisecond
	// checksPerRead is the number of checks after which the log is read even without a notification, which may have been
	// lost.
	checksPerRead = 4
)

// Options describe the new member.
type Options struct {
	Name    string // new for each process that is started; letters, digits, '_' and '-'
	Address string // where the other managers reach this one: "http://10.0.0.1:8000"
	Version string // of the program; other managers name it when they refuse theirs
	Logger  *slog.Logger
}

// A Member is a manager process that takes part.
type Member struct {
	o     Options
	log   engine.Engine
	ended context.CancelFunc
	loop  sync.WaitGroup
	claim engine.Claim // on the lease; the loop's while it runs

	reading sync.Mutex // one reads the log at a time

	mu      sync.RWMutex
	state   *clusterState
	seq     uint64        // as far as the log was read
	changed chan struct{} // closed at the next change
	giving  string        // the league that is being transferred; "": none
	alive   time.Time     // when the last renewal of the lease began
	trouble error         // why it was not since
}

// Join makes this process a member until ctx ends or [Member.Leave] is called. It is durable when Join returns. The
// error is [ErrFormat] after a member with a newer format, and beside a living member with an older one.
func Join(ctx context.Context, e engine.Engine, o Options) (*Member, error) {
	if err := engine.CheckName("member." + o.Name); err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	m := &Member{o: o, log: e, state: &clusterState{}, changed: make(chan struct{})}
	life, end := context.WithCancel(ctx)
	m.ended = end
	news, err := e.Subscribe(life, logName)
	if err != nil {
		end()
		return nil, err
	}
	began := time.Now()
	if m.claim, err = e.Acquire(life, m.key(o.Name), o.Name, leaseTTL); err == nil {
		m.isAlive(began)
		err = m.decide(life, m.join(life))
	}
	if err != nil {
		end()
		return nil, fmt.Errorf("join the cluster: %w", err)
	}
	m.loop.Go(func() { m.run(life, news) })
	return m, nil
}

// key is the lease of a member.
func (m *Member) key(name string) string { return "member." + name }

// join returns a decision by which this process becomes a member, unless it is one. It removes dead members of another
// format first.
func (m *Member) join(ctx context.Context) func(*clusterState) ([]event, error) {
	return func(s *clusterState) ([]event, error) {
		if s.Address(m.o.Name) == m.o.Address {
			return nil, nil
		}
		events, err := m.expel(ctx, s)
		if err != nil {
			return nil, err
		}
		self := m.self()
		return and(s, append(events, event{Joined: &self})...), nil
	}
}

// and returns the events, followed by the assignment of all leagues that have no owner after them.
func and(s *clusterState, events ...event) []event {
	after := s.clone()
	for _, e := range events {
		after.Apply(e)
	}
	return append(events, adopt(after)...)
}

// run renews the lease, reads new events and removes dead members, until ctx ends.
func (m *Member) run(ctx context.Context, news <-chan []byte) {
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	missing := map[string]int{}
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case _, open := <-news:
			if !open {
				news = nil
			}
			m.note(m.refresh(ctx))
			continue
		case <-tick.C:
		}
		m.renew(ctx)
		if n%checksPerRead == 0 {
			m.note(m.refresh(ctx))
		}
		m.bury(ctx, missing)
	}
}

// renew extends the lease, or acquires it again if it was lost. If this member was removed in between, it joins again.
func (m *Member) renew(ctx context.Context) {
	one, cancel := context.WithTimeout(ctx, leaseTTL)
	defer cancel()
	began := time.Now()
	err := m.claim.Renew(one)
	if errors.Is(err, engine.ErrLost) {
		var again engine.Claim
		if again, err = m.log.Acquire(one, m.key(m.o.Name), m.o.Name, leaseTTL); err == nil {
			m.claim = again
			err = m.refresh(one)
		}
	}
	if err == nil && m.Address(m.o.Name) == "" {
		err = m.decide(one, m.join(one))
	}
	if err != nil {
		m.note(err)
		return
	}
	m.isAlive(began)
}
