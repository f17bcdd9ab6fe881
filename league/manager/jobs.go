package manager

import (
	"sync"

	"agentleague/league"
)

// jobs are what a manager does in the background because the conductor found it due, each of them once at a time. They
// also remember what the conductor has yet to look at: all of the league, or only what a few matches have changed.
type jobs struct {
	wake chan struct{} // something has changed: the conductor looks again
	all  *crew

	mu       sync.Mutex
	under    map[job]bool // those that are under way
	ended    map[job]bool // those that have ended since the conductor began to look
	whole    bool         // something has changed that anything may follow from
	recorded []string     // matches that have a result since the conductor looked
}

// A job is named by what is done, and by the attempt at a match that it is done for, if it is for one.
type job struct {
	what string
	at   league.MatchAssigned
}

func newJobs(all *crew) *jobs {
	return &jobs{wake: make(chan struct{}, 1), all: all, under: map[job]bool{}, ended: map[job]bool{}, whole: true}
}

// kick makes the conductor look at all of the league again.
func (j *jobs) kick() {
	j.mu.Lock()
	j.whole = true
	j.mu.Unlock()
	j.nudge()
}

// nudge makes the conductor look at what it can see without looking through the league: messages that went out, matches
// whose players have heard of them, results.
func (j *jobs) nudge() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// sawResults notes matches that have a result now, and nothing else to look for.
func (j *jobs) sawResults(matches []string) {
	j.mu.Lock()
	j.recorded = append(j.recorded, matches...)
	j.mu.Unlock()
	j.nudge()
}

// look begins a look of the conductor at what is due. It tells whether that is to be at all of the league, and appends
// to buf the matches that have got a result since the last look.
func (j *jobs) look(buf []string) (whole bool, recorded []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	clear(j.ended)
	whole, recorded = j.whole, append(buf, j.recorded...)
	j.whole, j.recorded = false, j.recorded[:0]
	return whole, recorded
}

// once runs f in the background unless it is under way already. What ended
// while the conductor looked may be due no longer: it looks again, and then
// knows.
func (j *jobs) once(what string, f func()) {
	j.start(job{what: what}, func() (settled bool) { f(); return false })
}

// start is once for a job that tells whether all is done: then nothing is due after it that somebody else does not
// make known.
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

// begin reports whether a job is to be done now: it is not under way and was not done before. The caller that hears
// true does it and calls end.
func (j *jobs) begin(what job) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.under[what] || j.ended[what] {
		return false
	}
	j.under[what] = true
	return true
}

// end says that a job is done, for good.
func (j *jobs) end(what job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.under, what)
	j.ended[what] = true
}
