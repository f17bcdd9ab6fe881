package bench

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A yardstick repeats one exchange. It is fixed code that uses nothing of the program, so that a ratio to it changes
// only with the program.
type yardstick struct {
	name  string
	serve func(ctx context.Context, l net.Listener) error
	call  func(address string) (exchange func() error, hangUp func())
}

// A pace is the result of a yardstick in a slice.
type pace struct {
	rate float64 // exchanges a second
	cpu  float64 // µs of both sides for an exchange; 0 where the system does not report it
}

// pace measures concurrent exchanges with the yardstick's server. Nothing else may run in this process.
func (y yardstick) pace(ctx context.Context, server *process, callers int, length time.Duration) (pace, error) {
	both := func() float64 { return cpuOf(server.pid()) + cpuOf(os.Getpid()) }
	began, before := time.Now(), both()
	done, err := y.exchanges(ctx, server.endpoint, callers, length)
	if err != nil {
		return pace{}, err
	}
	return pace{rate: done / time.Since(began).Seconds(), cpu: 1e6 * (both() - before) / done}, nil
}

// exchanges counts the exchanges that callers complete with a server in length.
func (y yardstick) exchanges(ctx context.Context, address string, callers int, length time.Duration) (float64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var done atomic.Int64
	var calling sync.WaitGroup
	began := time.Now()
	for range callers {
		calling.Go(func() {
			exchange, hangUp := y.call(address)
			defer hangUp()
			for ctx.Err() == nil && time.Since(began) < length {
				if err := exchange(); err != nil {
					cancel(fmt.Errorf("yardstick %s: %w", y.name, err))
					return
				}
				done.Add(1)
			}
		})
	}
	calling.Wait()
	return float64(done.Load()), context.Cause(ctx)
}
