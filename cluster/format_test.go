package cluster

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/engine"
	"agentleague/engine/sim"
)

// write appends an entry to the cluster's log.
func write(t *testing.T, e engine.Engine, events ...event) {
	t.Helper()
	var last uint64
	for entry, err := range e.Read(t.Context(), logName, 1) {
		if err != nil {
			t.Fatal(err)
		}
		last = entry.Seq
	}
	entry, err := encode(events)
	if err == nil {
		_, err = e.Append(t.Context(), logName, last, entry)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestManagersOfAnotherFormatAreRefusedByName(t *testing.T) {
	older, newer := joinedEvent{Version: "v0.9.0", Format: Format - 1}, joinedEvent{Version: "v2.0.0", Format: Format + 1}
	const this = "this is version v1.0.0 (format 4); "
	beNewer := "join the cluster: incompatible versions: manager http://other used version v2.0.0 (format 5), " + this +
		"it cannot read the newer logs: install that version here"
	for _, c := range []struct {
		name  string
		other joinedEvent
		lives bool
		want  string
	}{
		{"a newer manager", newer, true, beNewer},
		{"logs of a newer manager", newer, false, beNewer},
		{"a manager of the same format", joinedEvent{Version: "v0.9.9", Format: Format}, true, ""},
		{"an older manager", older, true, "join the cluster: incompatible versions: manager http://other runs version v0.9.0 (format 3), " +
			this + "stop every manager, then start all with one version"},
		{"a manager of the first versions", joinedEvent{}, true, "join the cluster: incompatible versions: manager http://other runs " +
			"a version of format 1, " + this + "stop every manager, then start all with one version"},
		{"logs of an older manager", older, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				disk := sim.New(1)
				c.other.Member, c.other.Address = "other", "http://other"
				e := disk.Open(sim.Options{})
				write(t, e, event{Joined: &c.other})
				if c.lives {
					if _, err := e.Acquire(t.Context(), "member.other", "other", time.Hour); err != nil {
						t.Fatal(err)
					}
				}
				m, err := Join(t.Context(), disk.Open(sim.Options{}), Options{Name: "self", Address: "http://self", Version: "v1.0.0"})
				if c.want != "" {
					if err == nil || err.Error() != c.want || !errors.Is(err, ErrFormat) {
						t.Fatalf("got  %v\nwant %s", err, c.want)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := m.Leave(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A member that was cut off while the others were replaced by a newer format reports that, and owns nothing.
func TestAMemberThatReturnsToANewerFormatIsUnhealthy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := sim.New(1)
		m, err := Join(t.Context(), disk.Open(sim.Options{}), Options{Name: "self", Address: "http://self", Version: "v1.0.0"})
		if err != nil {
			t.Fatal(err)
		}
		write(t, disk.Open(sim.Options{}), event{Left: &leftEvent{Member: "self"}},
			event{Joined: &joinedEvent{Member: "other", Address: "http://other", Version: "v2.0.0", Format: Format + 1}})
		time.Sleep(5 * time.Second)
		if err := m.Healthy(); !errors.Is(err, ErrFormat) {
			t.Errorf("got %v, want %v", err, ErrFormat)
		}
		if _, err := Leagues(t.Context(), disk.Open(sim.Options{})); !errors.Is(err, ErrFormat) {
			t.Errorf("a process that reads the cluster: got %v, want %v", err, ErrFormat)
		}
		_ = m.Leave(t.Context())
	})
}
