package manager

import (
	"sync"

	"agentleague/league"
)

// jobs runs the background jobs that the conductor found due, each at most once at a time. It also records what the
// next step of the conductor must do: scan the whole league, or only handle the changes of a few matches.
type jobs struct {
	wake chan struct{} // signals a change to the conductor
	all  *taskGroup

	mu       sync.Mutex
	under    map[job]bool // those that are under way
	ended    map[job]bool // those that have ended since the conductor's last step
	whole    bool         // something has changed that anything may follow from
	recorded []string     // matches with a result since the conductor's last step
}

// A job is named by its task, and by the attempt at a match that it is for, if any.
type job struct {
	what string
	at   league.MatchAssigned
}

func newJobs(all *taskGroup) *jobs {
	return &jobs{wake: make(chan struct{}, 1), all: all, under: map[job]bool{}, ended: map[job]bool{}, whole: true}
}

// kick makes the conductor scan the whole league.
func (j *jobs) kick() {
	j.mu.Lock()
	j.whole = true
	j.mu.Unlock()
	j.nudge()
}

// nudge makes the conductor handle changes that need no scan: sent messages, acknowledged announcements, results.
func (j *jobs) nudge() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// sawResults records matches that got a result, for the next step of the conductor. It does not request a scan.
func (j *jobs) sawResults(matches []string) {
	j.mu.Lock()
	j.recorded = append(j.recorded, matches...)
	j.mu.Unlock()
	j.nudge()
}

// look begins a step of the conductor. whole reports whether to scan the whole league. It appends to buf, and appends
// to buf the matches with a result since the last step.
func (j *jobs) look(buf []string) (whole bool, recorded []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	clear(j.ended)
	whole, recorded = j.whole, append(buf, j.recorded...)
	j.whole, j.recorded = false, j.recorded[:0]
	return whole, recorded
}

// once runs f in the background unless a job of that name is running. It requests a scan when f returns.
func (j *jobs) once(what string, f func()) {
	j.start(job{what: what}, func() (settled bool) { f(); return false })
}

// start is like once, but requests no scan when f returns true.
func (j *jobs) start(what job, f func() (settled bool)) {
	if !j.begin(what) {
		return
	}
	j.all.Call(func() {
		settled := false
		defer func() {
			if j.end(what); !settled {
				j.kick()
			}
		}()
		settled = f()
	})
}

// begin reports whether the caller may run a job now. It returns false while the same job runs, and also if that job
// has ended since the scan that found it due. After true the caller must call end.
func (j *jobs) begin(what job) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.under[what] || j.ended[what] {
		return false
	}
	j.under[what] = true
	return true
}

// end marks a job as done.
func (j *jobs) end(what job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.under, what)
	j.ended[what] = true
}

// anyUnder reports whether any job is running.
func (j *jobs) anyUnder() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.under) > 0
}
