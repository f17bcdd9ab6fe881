package cluster

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentleague/engine"
)

// ErrExists reports that a league of that name exists with other settings.
var ErrExists = errors.New("there is a league of that name in the cluster")

// ErrUnknown reports that no league has that name.
var ErrUnknown = errors.New("there is no league of that name in the cluster")

// ErrReserved reports that the id of a league is reserved for the cluster's own logs.
var ErrReserved = errors.New("in a cluster no league can be called \"cluster\" or \"records\" and a dot: choose another name")

// errSilent is the default reason why a lease could not be renewed.
var errSilent = errors.New("the engine does not answer")

// Make adds a league and assigns it to a member. It is durable when Make returns. Make is idempotent; if a league of
// that name with other settings exists, the error is [ErrExists].
func (m *Member) Make(ctx context.Context, id string, settings []byte) error {
	if id == logName || strings.HasPrefix(id, shelfPrefix) {
		return fmt.Errorf("%s: %w", id, ErrReserved)
	}
	return m.decide(ctx, func(s *clusterState) ([]event, error) {
		l, there := s.League(id)
		switch {
		case there && !bytes.Equal(l.Settings, settings):
			return nil, fmt.Errorf("%s: %w", id, ErrExists)
		case there:
			return nil, nil
		}
		return and(s, event{Made: &madeEvent{League: id, Settings: settings}}), nil
	})
}

// Add adds a league without joining the cluster, to restore a backup. The league is assigned to a member, or to the
// first that joins. Add is idempotent; if a league of that name with other settings exists, the error is [ErrExists].
func Add(ctx context.Context, e engine.Engine, id string, settings []byte) error {
	return outside(e).Make(ctx, id, settings)
}

// Leagues lists the leagues of a cluster, the oldest first, for a process that is not a member.
func Leagues(ctx context.Context, e engine.Engine) ([]League, error) {
	m := outside(e)
	if err := m.refresh(ctx); err != nil {
		return nil, err
	}
	return m.Leagues(), nil
}

// outside returns a pseudo-member, without a lease, that can read and write the cluster's log.
func outside(e engine.Engine) *Member {
	return &Member{o: Options{Name: "nobody"}, log: e, state: &clusterState{}, changed: make(chan struct{})}
}

// Over records that a league is over: it no longer counts as work of its owner.
func (m *Member) Over(ctx context.Context, id string) error {
	return m.about(ctx, id, func(l League) []event {
		if l.Over {
			return nil
		}
		return []event{{Over: &overEvent{League: id}}}
	})
}

// Archive puts a league away, or brings it back.
func (m *Member) Archive(ctx context.Context, id string, away bool) error {
	return m.about(ctx, id, func(l League) []event {
		if l.Archived == away {
			return nil
		}
		return []event{{Archived: &archivedEvent{League: id, Undone: !away}}}
	})
}

// about commits the events that f returns for a league. An unknown league is [ErrUnknown].
func (m *Member) about(ctx context.Context, id string, f func(League) []event) error {
	return m.decide(ctx, func(s *clusterState) ([]event, error) {
		l, there := s.League(id)
		if !there {
			return nil, fmt.Errorf("%s: %w", id, ErrUnknown)
		}
		return f(l), nil
	})
}

// surplus returns a league that this member should transfer, and the new owner. The caller finishes the matches in
// progress first, and then calls [Member.Give].
func (m *Member) Surplus() (league, to string, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return surplus(m.state, m.o.Name)
}

// Give transfers a league if this member still owns it and the other still has at least two fewer leagues in play.
// Otherwise it does nothing. It is not called concurrently.
func (m *Member) Give(ctx context.Context, id, to string) error {
	m.setGiving(id) // the new owner may read the entry before this member does
	defer m.setGiving("")
	return m.decide(ctx, func(s *clusterState) ([]event, error) {
		if l, _ := s.League(id); l.Owner != m.o.Name || !evens(s, m.o.Name, to) {
			return nil, nil
		}
		return []event{{Given: &givenEvent{League: id, Member: to}}}, nil
	})
}

// setGiving sets the league that is being transferred; "" means none.
func (m *Member) setGiving(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.giving = id
}

// Leave transfers the leagues of this member to the others and ends its membership. The caller must have stopped its
// leagues: their new owners begin at once. If ctx ends before that is written, the others notice when the lease
// expires.
func (m *Member) Leave(ctx context.Context) error {
	m.ended()
	m.loop.Wait()
	err := m.decide(ctx, func(s *clusterState) ([]event, error) {
		if s.Address(m.o.Name) == "" {
			return nil, nil
		}
		return and(s, event{Left: &leftEvent{Member: m.o.Name, Why: "it was told to end"}}), nil
	})
	_ = m.claim.Release(ctx) // it runs out anyway
	return err
}

// Name is the member's name in the cluster.
func (m *Member) Name() string { return m.o.Name }

// Owner returns the address of the manager that owns a league; "" if it has none at present. mine reports whether that
// is this manager, and known whether the cluster has the league.
func (m *Member) Owner(id string) (address string, mine, known bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	l, known := m.state.League(id)
	return m.state.Address(l.Owner), known && l.Owner == m.o.Name, known
}

// Serves reports whether this member may answer for a league: it owns it, is not transferring it, and its lease is
// valid, so that no other member can have changed the league.
func (m *Member) Serves(id string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	l, _ := m.state.League(id)
	return l.Owner == m.o.Name && m.giving != id && time.Since(m.alive) < leaseTTL
}

// League returns a league of the cluster.
func (m *Member) League(id string) (League, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.state.League(id)
}

// Leagues lists all leagues, the oldest first.
func (m *Member) Leagues() []League {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.state.Leagues()
}

// Members lists the members, by name.
func (m *Member) Members() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.state.Members()
}

// Address returns the address of a member; "" for a process that is not a member.
func (m *Member) Address(member string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.state.Address(member)
}

// Has reports whether a member has an address.
func (m *Member) Has(address string) bool {
	return slices.ContainsFunc(m.Members(), func(name string) bool { return m.Address(name) == address })
}

// Changed returns a channel that is closed at the next change of the state. To miss no change, call Changed before
// reading the state.
func (m *Member) Changed() <-chan struct{} {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.changed
}

// Healthy returns nil, or the reason why the other members may consider this one dead.
func (m *Member) Healthy() error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if since := time.Since(m.alive); since > leaseTTL {
		return fmt.Errorf("this manager could not renew its lease for %v: %w", since.Round(100*time.Millisecond),
			cmp.Or(m.trouble, errSilent))
	}
	return nil
}
