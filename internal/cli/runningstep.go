package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"agentleague/internal/term"
)

// A runningStep shows the current step and its duration: on a terminal in a line that changes, elsewhere in a line
// for each long step.
type runningStep struct {
	mu   sync.Mutex
	quit chan struct{}
	done chan struct{}
}

// The update interval of a terminal, and the delay of the line elsewhere.
const (
	tellEvery = 500 * time.Millisecond
	tellAfter = 3 * time.Second
)

// begin shows a step, until stop.
func (r *runningStep) begin(w io.Writer, what string) {
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	quit, done := make(chan struct{}), make(chan struct{})
	r.quit, r.done = quit, done
	live := term.Is(w)
	go func() {
		defer close(done)
		showRunning(w, what, live, quit)
	}()
}

// stop ends the line.
func (r *runningStep) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.quit == nil {
		return
	}
	close(r.quit)
	<-r.done
	r.quit = nil
}

// showRunning shows a step until quit is closed.
func showRunning(w io.Writer, what string, live bool, quit <-chan struct{}) {
	start, told := time.Now(), false
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		if live {
			fmt.Fprintf(w, "\r\x1b[K… %s, %.0f s", what, time.Since(start).Seconds())
		} else if !told && time.Since(start) >= tellAfter {
			fmt.Fprintf(w, "running %s, for %.0f s so far\n", what, time.Since(start).Seconds())
			told = true
		}
		select {
		case <-tick.C:
		case <-quit:
			if live {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return
		}
	}
}
