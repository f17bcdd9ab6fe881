package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"agentleague/files"
	"agentleague/protocol"
)

// A diary keeps what a player remembers in its file. What a full disk does not
// take is written when there is room.
type diary struct {
	write func(id string, past []protocol.PlayerMatch) error

	mu     sync.Mutex
	id     string
	past   []protocol.PlayerMatch
	behind bool // the file is older than past
}

// remember writes the whole history. That there is no room is no error: others
// say so, and it passes.
func (d *diary) remember(id string, past []protocol.PlayerMatch) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.write(id, past)
	d.id, d.past, d.behind = id, past, errors.As(err, new(*files.FullError))
	if d.behind {
		return nil
	}
	return err
}

// catchUp writes what is not written yet and reports whether all is.
func (d *diary) catchUp() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.behind {
		d.behind = d.write(d.id, d.past) != nil
	}
	return !d.behind
}

// keep catches up until ctx ends, and once more then.
func (d *diary) keep(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
		d.catchUp()
	}
}
