package manager

import "sync"

// jobs are what a manager does in the background because the conductor found it due, each of them once at a time.
type jobs struct {
	wake chan struct{} // something has changed: the conductor looks again
	all  *sync.WaitGroup

	mu    sync.Mutex
	under map[string]bool // those that are under way, by what they do
	ended map[string]bool // those that have ended since the conductor began to look
}

func newJobs(all *sync.WaitGroup) *jobs {
	return &jobs{wake: make(chan struct{}, 1), all: all, under: map[string]bool{}, ended: map[string]bool{}}
}

// kick makes the conductor look at the league again.
func (j *jobs) kick() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// look begins a look of the conductor at what is due.
func (j *jobs) look() {
	j.mu.Lock()
	defer j.mu.Unlock()
	clear(j.ended)
}

// once runs f in the background unless it is under way already. What ended
// while the conductor looked may be due no longer: it looks again, and then
// knows.
func (j *jobs) once(what string, f func()) {
	if !j.begin(what) {
		return
	}
	j.all.Go(func() {
		defer j.kick()
		defer j.end(what)
		f()
	})
}

func (j *jobs) begin(what string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.under[what] || j.ended[what] {
		return false
	}
	j.under[what] = true
	return true
}

func (j *jobs) end(what string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.under, what)
	j.ended[what] = true
}
