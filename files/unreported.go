package files

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"

	"agentleague/protocol"
)

// Unreported is a record whose result the manager may not have.
type Unreported struct {
	Ref      protocol.RecordRef
	Document []byte
	Order    []byte
}

// Unreported yields what was saved and not reported, in all leagues: by league, round, match and attempt. A file that is
// damaged yields an error that names it, and then come the others.
func (s *Records) Unreported() iter.Seq2[Unreported, error] {
	return func(yield func(Unreported, error) bool) {
		refs, err := s.orders()
		if err != nil && !yield(Unreported{}, err) {
			return
		}
		for _, ref := range refs {
			u, err := s.unreported(ref)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNoRecord) {
				continue // reported by now, or the referee died before the record was made
			}
			if !yield(u, err) {
				return
			}
		}
	}
}

func (s *Records) unreported(ref protocol.RecordRef) (Unreported, error) {
	u := Unreported{Ref: ref}
	name, err := s.name(ref)
	if err != nil {
		return u, err
	}
	if u.Document, err = s.Document(ref); err != nil {
		return u, err
	}
	u.Order, err = os.ReadFile(s.root.path(name + ".order"))
	return u, err
}

// orders lists the orders that are there. What it cannot read is an error, and does not hide the rest.
func (s *Records) orders() (refs []protocol.RecordRef, failed error) {
	leagues, failed := entries(s.root.path(s.folder))
	for _, league := range leagues {
		found, err := s.ordersOf(league.Name())
		refs, failed = append(refs, found...), errors.Join(failed, err)
	}
	slices.SortFunc(refs, compareRefs)
	return refs, failed
}

func (s *Records) ordersOf(league string) (refs []protocol.RecordRef, failed error) {
	files, failed := entries(s.root.path(s.folder + "/" + league))
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".order")
		if !ok {
			continue
		}
		ref, err := parseRef(league, name)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s/%s/%s: %w", s.folder, league, f.Name(), err))
			continue
		}
		refs = append(refs, ref)
	}
	return refs, failed
}

// entries lists what is in a folder and not hidden. A folder that does not exist is empty.
func entries(folder string) ([]fs.DirEntry, error) {
	list, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return slices.DeleteFunc(list, func(e fs.DirEntry) bool { return e.Name()[0] == '.' }), err
}

// parseRef reads the name of an order.
func parseRef(league, name string) (protocol.RecordRef, error) {
	dot := max(0, strings.LastIndexByte(name, '.'))
	attempt, err := strconv.Atoi(strings.TrimPrefix(name[dot:], "."))
	ref := protocol.RecordRef{LeagueID: league, MatchID: name[:dot], Attempt: attempt}
	if err != nil || attempt < 0 || !validID(league) || !validID(ref.MatchID) {
		return ref, errors.New("not called as an order is: <league_id>/<match_id>.<attempt>.order")
	}
	return ref, nil
}

func compareRefs(a, b protocol.RecordRef) int {
	roundA, numberA, _ := protocol.ParseMatchID(a.MatchID)
	roundB, numberB, _ := protocol.ParseMatchID(b.MatchID)
	return cmp.Or(
		cmp.Compare(a.LeagueID, b.LeagueID),
		cmp.Compare(roundA, roundB), cmp.Compare(numberA, numberB),
		cmp.Compare(a.MatchID, b.MatchID), cmp.Compare(a.Attempt, b.Attempt),
	)
}
