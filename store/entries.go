package store

import (
	"errors"
	"io/fs"
	"iter"

	"agentleague/engine"
	"agentleague/engine/journal"
)

// Entries reads a journal without taking it over. One that is not there is empty.
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
