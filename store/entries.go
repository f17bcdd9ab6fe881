package store

import (
	"errors"
	"io/fs"
	"iter"

	"agentleague/engine"
	"agentleague/engine/journal"
	"agentleague/league"
)

// Entries yields the entries of a journal without locking it. A missing journal yields nothing.
func Entries(path string) iter.Seq2[engine.Entry, error] {
	return func(yield func(engine.Entry, error) bool) {
		for e, err := range journal.ReadFile(path) {
			if errors.Is(err, fs.ErrNotExist) {
				return
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// CreatedAs returns the first event of a journal, which fixes the rules of its league. A missing journal gives the
// zero event.
func CreatedAs(path string) (league.Created, error) {
	for e, err := range Entries(path) {
		if err != nil {
			return league.Created{}, err
		}
		_, events, err := league.DecodeBatch(e.Data)
		if err != nil {
			return league.Created{}, err
		}
		created, _ := events[0].(league.Created)
		return created, nil
	}
	return league.Created{}, nil
}

// Fold returns the state of the league in a journal, which it does not lock. A missing journal reads as an empty
// league.
func Fold(path string) (*league.State, error) { return league.Fold(Entries(path)) }
