package store

import (
	"errors"
	"io/fs"
	"os"
)

// rulesFile is the name of a league's rules, if they are a file, beside its log.
const rulesFile = "rules.wasm"

// KeepRules stores a copy of the rules of a new league. It does not replace an existing copy.
func (l Leagues) KeepRules(league string, code []byte) error {
	name, err := ofLeague(league, rulesFile)
	if err != nil {
		return err
	}
	journal, _ := ofLeague(league, "journal.jsonl")
	if info, err := os.Stat(l.root.path(journal)); err == nil && info.Size() > 0 {
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return l.root.saveText(name, code)
}
