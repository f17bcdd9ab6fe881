package files

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"os"
	"slices"

	"agentleague/config"
	"agentleague/protocol"
)

// Unreported is a record whose result the manager may not have.
type Unreported struct {
	Ref      protocol.RecordRef
	Document []byte
	Order    []byte
}

// Unreported yields what was saved and not reported, in all leagues: by league, round, match and attempt. What is
// damaged yields an error that names it, and then come the others.
func (s *Records) Unreported() iter.Seq2[Unreported, error] {
	return func(yield func(Unreported, error) bool) {
		orders, err := s.orders()
		if err != nil && !yield(Unreported{}, err) {
			return
		}
		for _, ref := range slices.SortedFunc(maps.Keys(orders), compareRefs) {
			doc, err := s.Document(ref)
			if errors.Is(err, ErrNoRecord) {
				continue // the referee died before the record was made
			}
			if !yield(Unreported{Ref: ref, Document: doc, Order: orders[ref]}, err) {
				return
			}
		}
	}
}

// orders lists what waits. What it cannot read is an error, and does not hide the rest.
func (s *Records) orders() (all map[protocol.RecordRef][]byte, failed error) {
	all = map[protocol.RecordRef][]byte{}
	s.queues.Range(func(_, q any) bool { q.(*queue).flushLate(); return true })
	leagues, failed := entries(s.root.path(s.folder))
	for _, league := range leagues {
		if !league.IsDir() || !config.ValidID(league.Name()) {
			continue
		}
		q := newQueue(s.root, s.folder+"/"+league.Name(), league.Name())
		text, err := q.text()
		found, damage := q.orders(text)
		failed = errors.Join(failed, err, damage)
		maps.Copy(all, found)
	}
	return all, failed
}

// entries lists what is in a folder and not hidden. A folder that does not exist is empty.
func entries(folder string) ([]fs.DirEntry, error) {
	list, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return slices.DeleteFunc(list, func(e fs.DirEntry) bool { return e.Name()[0] == '.' }), err
}

// compareRefs orders records by league, then by round and number, so that the oldest is reported first. R10 comes
// after R9.
func compareRefs(a, b protocol.RecordRef) int {
	roundA, numberA, _ := protocol.ParseMatchID(a.MatchID)
	roundB, numberB, _ := protocol.ParseMatchID(b.MatchID)
	return cmp.Or(
		cmp.Compare(a.LeagueID, b.LeagueID),
		cmp.Compare(roundA, roundB), cmp.Compare(numberA, numberB),
		cmp.Compare(a.MatchID, b.MatchID), cmp.Compare(a.Attempt, b.Attempt),
	)
}
