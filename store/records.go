package store

import (
	"sync"

	"agentleague/files"
	"agentleague/league"
	"agentleague/protocol"
)

// Records keeps the records that count. It is a [league.Records].
type Records struct{ files.MatchRepository }

// Store keeps one: as a file of its own, or in its round's file if it is a single line.
func (r Records) Store(match string, document []byte) error {
	if protocol.OneLine(document) {
		return r.SaveLine(match, document)
	}
	return r.Save(match, document)
}

// An Adopter copies the records of referees that live on the same root.
type Adopter struct {
	root *files.Root
	into league.Records

	mu        sync.Mutex
	byReferee map[string]*files.Records
}

// NewAdopter copies records of referees on a root to those that count.
func NewAdopter(root *files.Root, into league.Records) *Adopter {
	return &Adopter{root: root, into: into, byReferee: map[string]*files.Records{}}
}

// Adopt copies those records of a referee that it has with their hashes, and reports of each whether it did. Those that
// are lines of the same file are copied together.
func (a *Adopter) Adopt(referee string, refs []protocol.RecordRef, hashes []string) (done []bool) {
	kept, err := a.records(referee)
	if err != nil {
		return make([]bool, len(refs))
	}
	if into, plain := a.into.(Records); plain {
		done = into.MatchRepository.Adopt(kept, refs, hashes)
	} else {
		done = make([]bool, len(refs))
	}
	for i, ref := range refs {
		done[i] = done[i] || a.adoptOne(kept, ref, hashes[i])
	}
	return done
}

// adoptOne copies a record, whatever its form and wherever it goes.
func (a *Adopter) adoptOne(kept *files.Records, ref protocol.RecordRef, hash string) bool {
	text, err := kept.Sealed(ref, hash)
	return err == nil && a.into.Store(ref.MatchID, text) == nil
}

// records are those of a referee, opened once.
func (a *Adopter) records(referee string) (kept *files.Records, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if kept = a.byReferee[referee]; kept == nil {
		if kept, err = a.root.Records(referee); err == nil {
			a.byReferee[referee] = kept
		}
	}
	return kept, err
}
