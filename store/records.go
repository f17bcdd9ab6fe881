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

// Adopt copies a record of a referee, if it has the one with that hash, and reports whether it did.
func (a *Adopter) Adopt(referee string, ref protocol.RecordRef, hash string) bool {
	kept, err := a.records(referee)
	if err != nil {
		return false
	}
	text, err := kept.Sealed(ref, hash)
	if err != nil {
		return false
	}
	return a.into.Store(ref.MatchID, text) == nil
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
