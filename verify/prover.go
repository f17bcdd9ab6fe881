package verify

import (
	"context"
	"io/fs"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/store"
)

// A Prover verifies matches for unauthenticated clients. Two rate limits protect the process. A journal is read
// once for each of its versions, and after a read no journal is read for [readShare] times its duration. The
// verification of matches gets at most 1/[proofShare] of the time. A Prover is safe for concurrent use.
type Prover struct {
	root *store.RecordFS

	mu     sync.Mutex
	read   map[string]*reading // by league: the newest
	after  time.Time           // the time when the next journal may be read
	proofs map[asked]Proof     // a cache, by the state of the files
	credit time.Duration       // the remaining time for matches
	filled time.Time           // the time of the last refill
}

const (
	readShare       = 20 // journals are read for at most 1/20 of the time
	proofShare      = 10 // matches are verified for at most 1/10 of the time
	minProofRest    = 2 * time.Second
	maxProofs       = 1024
	journalLifetime = time.Minute // a long journal takes much memory
)

// A reading is a journal in memory.
type reading struct {
	*Result
	end   edition
	sound bool // the log is valid
	drop  *time.Timer
}

// An asked is a cache key: a match, and the versions of its journal and record.
type asked struct {
	league, match   string
	journal, record edition
}

// An edition identifies a version of a file.
type edition struct {
	size int64
	at   time.Time
}

// NewProver returns a Prover for the leagues below a data directory.
func NewProver(root fs.FS) *Prover {
	return &Prover{
		root: store.ShowRecords(root), read: map[string]*reading{}, proofs: map[asked]Proof{}, credit: minProofRest, filled: time.Now(),
	}
}

// Match verifies one match like `league verify`, from the journal and the match's record alone. It waits a moment
// for a record that a manager is about to write.
func (p *Prover) Match(ctx context.Context, leagueID, match string) (Proof, error) {
	for end := time.Now().Add(maxTableDelay); ; {
		proof, soon, err := p.try(leagueID, match)
		if !soon || time.Now().After(end) {
			return proof, err
		}
		select {
		case <-time.After(tablePollInterval):
		case <-ctx.Done():
			return proof, context.Cause(ctx)
		}
	}
}

// try verifies a match with the present files. soon reports that a retry may succeed: a manager is about to write
// a file, or the rate limit soon allows reading the journal.
func (p *Prover) try(leagueID, match string) (proof Proof, soon bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	log, err := p.journal(leagueID, match)
	if err != nil {
		return proof, time.Until(p.after) < tablePollInterval, err
	}
	of := asked{leagueID, match, log.end, p.edition("data/matches/" + leagueID + "/" + match + ".json")}
	if known, ok := p.proofs[of]; ok {
		return known, false, nil
	}
	if err := p.afford(); err != nil {
		return proof, false, err
	}
	start := time.Now()
	one := proving{newResult(p.root, leagueID, Proofs{}), Proof{MatchID: match}}
	one.audit, one.Lines, one.Differences = log.audit, log.Lines, slices.Clone(log.Differences)
	err = one.run(log.sound)
	proof = one.Proof
	p.credit -= time.Since(start)
	if soon = err == nil && one.Behind(); err == nil && !soon {
		p.remember(of, proof)
	}
	return proof, soon, err
}

// journal returns a reading of the journal that contains the match. If the rate limit does not allow it, the error
// has the time of the next attempt.
func (p *Prover) journal(id, match string) (*reading, error) {
	name := "data/leagues/" + id + "/journal.jsonl"
	end, known := p.edition(name), p.read[id]
	wait := time.Until(p.after)
	switch {
	case known != nil && known.end == end:
	case known != nil && wait > 0 && known.has(match): // the newer entries are not about the match
	case wait > 0:
		return nil, later("A journal was read to verify a match a moment ago", wait)
	default:
		start := time.Now()
		v := newResult(p.root, id, Proofs{})
		known = &reading{Result: v, end: end, sound: v.log()}
		p.after = time.Now().Add(readShare * time.Since(start))
		p.keep(id, known)
	}
	known.drop.Reset(journalLifetime)
	return known, nil
}

// keep caches a reading until it has been unused for journalLifetime.
func (p *Prover) keep(id string, r *reading) {
	if old := p.read[id]; old != nil {
		old.drop.Stop()
	}
	p.read[id] = r
	r.drop = time.AfterFunc(journalLifetime, func() {
		if !p.mu.TryLock() { // a verification is in progress
			r.drop.Reset(journalLifetime)
			return
		}
		defer p.mu.Unlock()
		if p.read[id] == r {
			delete(p.read, id)
		}
	})
}

// has reports whether the journal has the result of a match.
func (r *reading) has(match string) bool {
	m := r.audit.State.Matches[match]
	return r.sound && m != nil && m.Outcome != nil
}

// afford returns a rate-limit error if the time for the verification of matches is used up.
func (p *Prover) afford() error {
	now := time.Now()
	p.credit = min(p.credit+now.Sub(p.filled)/proofShare, minProofRest)
	p.filled = now
	if p.credit < 0 {
		return later("Many matches were verified just now", -p.credit*proofShare)
	}
	return nil
}

// later returns a rate-limit error that states when to retry.
func later(why string, wait time.Duration) error {
	return protocol.Errorf(protocol.RateLimited, "%s. Try again in %d s.", why, int(math.Ceil(wait.Seconds())))
}

// remember caches a proof. If the cache is full it evicts the proofs of other versions of the journal.
func (p *Prover) remember(of asked, proof Proof) {
	if len(p.proofs) >= maxProofs {
		maps.DeleteFunc(p.proofs, func(a asked, _ Proof) bool { return a.league == of.league && a.journal != of.journal })
	}
	if len(p.proofs) >= maxProofs {
		clear(p.proofs)
	}
	p.proofs[of] = proof
}

// edition returns the version of a file; a missing file has the zero edition.
func (p *Prover) edition(name string) edition {
	info, err := fs.Stat(p.root, name)
	if err != nil {
		return edition{}
	}
	return edition{info.Size(), info.ModTime()}
}
