package cluster

import (
	"context"
	"log/slog"
)

// bury removes a member when its lease is missing at two consecutive checks; missing counts them. A living member is
// not removed: it acquires the lease before it joins, and releases it after it has left.
func (m *Member) bury(ctx context.Context, missing map[string]int) {
	one, cancel := context.WithTimeout(ctx, leaseTTL)
	defer cancel()
	if m.Healthy() != nil { // a member that cannot read does not judge others
		clear(missing)
		return
	}
	for _, name := range m.Members() {
		if name == m.o.Name {
			continue
		}
		holder, err := m.log.Holder(one, m.key(name))
		if err != nil {
			return
		}
		if holder != "" {
			delete(missing, name)
			continue
		}
		if missing[name]++; missing[name] < 2 {
			continue
		}
		delete(missing, name)
		if err := m.decide(one, m.gone(name)); err != nil {
			m.note(err)
			return
		}
	}
}

// gone returns a decision that removes a dead member and reassigns its leagues.
func (m *Member) gone(name string) func(*clusterState) ([]event, error) {
	return func(s *clusterState) ([]event, error) {
		if s.Address(name) == "" {
			return nil, nil
		}
		m.o.Logger.Warn("a manager of the cluster does not answer; its leagues go to the others", slog.String("member", name),
			slog.String("address", s.Address(name)), slog.String("event_type", "MEMBER_GONE"))
		return and(s, m.expired(name)), nil
	}
}

// expired returns the event that a member has left because its lease expired.
func (m *Member) expired(name string) event {
	return event{Left: &leftEvent{Member: name, Why: "its lease ran out; seen by " + m.o.Name}}
}
