package cluster

import (
	"context"
	"errors"
	"fmt"
)

// Format is the version of everything that the managers of a cluster share: the logs of the cluster, of leagues and of
// records, and relayed requests. It is incremented by changes that older programs cannot read. Programs that logged no
// format have format 1.
const Format = 4

// ErrFormat reports that a manager with an incompatible format uses the cluster.
var ErrFormat = errors.New("incompatible versions")

// format is the format of a member's program.
func (j joinedEvent) format() int { return max(1, j.Format) }

// program describes the version of a member's program.
func (j joinedEvent) program() string {
	if j.Version == "" {
		return fmt.Sprintf("a version of format %d", j.format())
	}
	return fmt.Sprintf("version %s (format %d)", j.Version, j.format())
}

// self is this member as its events name it.
func (m *Member) self() joinedEvent {
	return joinedEvent{Member: m.o.Name, Address: m.o.Address, Version: m.o.Version, Format: Format}
}

// readable returns [ErrFormat] if a program with a newer format has used the cluster: this program may not be able to
// read its entries.
func (m *Member) readable(s *clusterState) error {
	if s.newest.format() <= Format {
		return nil
	}
	return fmt.Errorf("%w: manager %s used %s, this is %s; it cannot read the newer logs: install that version here",
		ErrFormat, s.newest.Address, s.newest.program(), m.self().program())
}

// expel returns the events that remove dead members with another format. If such a member is alive, it returns an error
// that names it.
func (m *Member) expel(ctx context.Context, s *clusterState) (out []event, err error) {
	for _, name := range s.Members() {
		other := s.members[name]
		if other.format() == Format {
			continue
		}
		holder, err := m.log.Holder(ctx, m.key(name))
		if err != nil {
			return nil, err
		}
		if holder != "" {
			return nil, fmt.Errorf("%w: manager %s runs %s, this is %s; stop every manager, then start all with one version",
				ErrFormat, other.Address, other.program(), m.self().program())
		}
		out = append(out, m.expired(name))
	}
	return out, nil
}
